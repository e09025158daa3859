//! How often the charset of names is found out: names of fifteen languages in every charset that has their letters, each
//! alone, by tens, as a whole base, and each once more beside a base that is known.
//!
//! Right is what reads the letters as they were, whatever the charset is called. The rates are printed; they may rise.

#![allow(clippy::print_stderr)] // The rates are said aloud.

use tabiya_text::charset::Charset;
use tabiya_text::charset::detect::CharsetDetector;

/// The charsets of a language, the commonest first, and names of its players, events and towns.
type LanguageNames = (&'static str, &'static [Charset], &'static [&'static str]);

const WEST: &[Charset] = &[Charset::Cp1252, Charset::Cp850, Charset::Cp437];
const NORTH: &[Charset] = &[Charset::Cp1252, Charset::Cp850];
const CENTRAL: &[Charset] = &[Charset::Cp1250, Charset::Cp852, Charset::Latin2];
const CYRILLIC: &[Charset] = &[Charset::Cp1251, Charset::Cp866, Charset::Koi8R];
const CYRILLIC_WINDOWS: &[Charset] = &[Charset::Cp1251];

const LANGUAGES: &[LanguageNames] = &[
    (
        "German",
        WEST,
        &[
            "Müller, Karsten",
            "Hübner, Robert",
            "Schröder, Jürgen",
            "Jäger, Björn",
            "Köln",
            "München",
            "Größe, Heinz",
            "Weiß, Günther",
            "Naiditsch, Arkadij (Dortmund, Sparkassen Gästeturnier)",
            "Österreich, Bundesliga",
            "Übungspartie",
            "Blübaum, Matthias",
            "Förster, Richard",
            "Krüger, Lothar",
            "Pähtz, Elisabeth",
            "Düsseldorf",
            "Nürnberg op",
            "Bönsch, Uwe",
            "Preißler",
            "Mädler, Götz",
        ],
    ),
    (
        "French",
        WEST,
        &[
            "Fressinet, Laurent (Championnat de France, Nîmes)",
            "Bacrot, Étienne",
            "Vachier-Lagrave, Maxime (Évry)",
            "Lautier, Joël",
            "Cœur de lion",
            "Œuvre posthume",
            "Bœuf, André",
            "Guérin, François",
            "Besançon op",
            "Cappelle-la-Grande, 12ème open",
            "Orléans",
            "Hélène, Noël",
            "Saint-Brieuc, tournoi fermé",
            "Préfontaine, Gaëtan",
            "Lefèvre, Benoît",
            "Mâcon",
            "Château, Ève",
            "Rhône-Alpes, critérium",
            "Degraeve, Jean-Marc (Béthune)",
            "Sœur Cécile",
        ],
    ),
    (
        "Spanish",
        WEST,
        &[
            "Muñoz, Álvaro",
            "Vallejo Pons, Francisco (Linares, Jaén)",
            "Íñigo, López",
            "Peña, Ramón",
            "Domínguez, Lázaro",
            "Rodríguez, Andrés",
            "Córdoba",
            "Málaga",
            "Logroño",
            "Sánchez, Joaquín",
            "Núñez, Miguel Ángel",
            "Bolaños, José",
            "León, magistral",
            "Ávila",
            "Gómez Esteban, Juan María",
            "Quiñones",
            "Villafañe, Martín",
            "Cañizares, Óscar",
            "Pérez, Verónica",
            "Güímar",
        ],
    ),
    (
        "Portuguese",
        WEST,
        &[
            "São Paulo",
            "Milos, Gilberto (Brasília)",
            "Leitão, Rafael",
            "Simões, Antônio",
            "Galvão, João",
            "Gonçalves, Luís",
            "Conceição, Inês",
            "Mecking, Henrique (Petrópolis, interzonal)",
            "Fróis, António",
            "Guimarães",
            "Brandão, Mário",
            "Araújo, Sérgio",
            "Assunção",
            "Campeão, torneio",
            "Évora",
            "Figueirão",
            "Magalhães, Tomás",
            "Câmara, Hélder",
            "Fundão, Zé",
            "Gusmão, Cláudio",
        ],
    ),
    (
        "Nordic",
        NORTH,
        &[
            "Åkesson, Ralf",
            "Ågård, Jakob",
            "Malmö",
            "Göteborg",
            "Ernst, Sören",
            "Sjöberg, Mikael",
            "Tromsø",
            "Østersund, cup",
            "Nyholm, Göran",
            "Hansen, Bjørn",
            "Århus",
            "Bærum",
            "Søren, Bech",
            "Ståhlberg, Gideon",
            "Jyväskylä",
            "Hämeenlinna",
            "Lahti, Väinö",
            "Grønn, Atle",
            "Carlsen, Magnus (Lillehammer, Østlandsligaen)",
            "Sæther, Øystein",
        ],
    ),
    (
        "Icelandic",
        NORTH,
        &[
            "Þorsteinn Þorsteinsson",
            "Hjörvar Steinn Grétarsson",
            "Ólafsson, Friðrik",
            "Jóhann Hjartarson",
            "Þröstur Þórhallsson",
            "Guðmundur Kjartansson",
            "Héðinn Steingrímsson",
            "Björn Þorfinnsson",
            "Bragi Þorfinnsson",
            "Akureyri, Skákþing Íslands",
            "Sigurðsson, Sævar",
            "Hafnarfjörður",
            "Þórarinsson, Páll",
            "Magnús Örn Úlfarsson",
            "Lenka Ptácníková",
            "Reykjavík",
            "Ásgeirsson, Einar",
            "Ísafjörður",
            "Vestmannaeyjar, Hraðskák",
            "Þingeyri",
        ],
    ),
    (
        "Italian",
        WEST,
        &[
            "Forlì",
            "Città di Castello",
            "Società Scacchistica",
            "Cantù",
            "Nicolò, Vittorio",
            "Cefalù",
            "Mondovì",
            "Più, Università di Pavia",
            "Libertà, torneo",
            "Salò",
            "Bellè, Niccolò",
            "Fabriano, Festività",
            "Cirò",
            "Tavì, Giù",
            "Trinità",
        ],
    ),
    (
        "Polish",
        CENTRAL,
        &[
            "Wojtaszek, Radosław",
            "Gajewski, Grzegorz (Łódź)",
            "Świercz, Dariusz",
            "Miśta, Aleksander",
            "Kępiński",
            "Gdańsk",
            "Poznań",
            "Kraków",
            "Sokół, Jaś",
            "Dąbrowski, Michał",
            "Żółtek, Tomasz",
            "Błażej, Wałęsa",
            "Śliwa, Bogdan",
            "Świdnica",
            "Gołąbek, Paweł",
            "Wrocław",
            "Częstochowa",
            "Jabłoński, Józef",
            "Ciechocinek, Źródło",
            "Bielczyk, Małgorzata",
        ],
    ),
    (
        "Czech",
        CENTRAL,
        &[
            "Navara, David (Pardubice, Český šampionát)",
            "Hráček, Zbyněk",
            "Pachman, Luděk",
            "Třebíč",
            "Šimáček, Pavel",
            "Ftáčnik, Ľubomír",
            "Babula, Vlastimil (Přerov)",
            "Štohl, Igor",
            "Žilina",
            "Plzeň",
            "Hort, Vlastimil (Kladno, mistrovství)",
            "Mokrý, Karel",
            "Jansa, Vlastimil (Říčany)",
            "Petržela, Jiří",
            "Košice",
            "Příbram",
            "Stoček, Jiří",
            "Dvořák, Ondřej",
            "Brůžková, Anežka",
            "Ružomberok, ľahký turnaj",
        ],
    ),
    (
        "Hungarian",
        CENTRAL,
        &[
            "Polgár, Judit",
            "Portisch, Lajos (Győr)",
            "Almási, Zoltán",
            "Szabó, László",
            "Lékó, Péter",
            "Erdős, Viktor",
            "Kecskemét",
            "Balogh, Csaba (Zalaegerszeg, Szűcs kupa)",
            "Ruck, Róbert",
            "Medvegy, Zoltán (Budapest, első szombat)",
            "Gyöngyösi, Ödön",
            "Rapport, Richárd",
            "Székesfehérvár",
            "Kovács, Gergő",
            "Nyíregyháza",
            "Csom, István",
            "Bárczay, Győző",
            "Hódmezővásárhely",
            "Fűzfő",
            "Tóth, Béla",
        ],
    ),
    (
        "Croatian",
        CENTRAL,
        &[
            "Ivanović, Božidar",
            "Ljubojević, Ljubomir",
            "Gligorić, Svetozar",
            "Šarić, Ivan",
            "Kožul, Zdenko",
            "Čakovec",
            "Brkić, Ante",
            "Jovanović, Žarko",
            "Šibenik",
            "Đurić, Stefan",
            "Beliavsky, Alexander (Portorož)",
            "Lenič, Luka",
            "Matulović, Milan",
            "Čabarkapa",
            "Velimirović, Dragoljub",
            "Niš",
            "Đaković, Đorđe",
            "Parma, Bruno (Bled, šahovska olimpijada)",
            "Zelčić, Robert",
            "Užice",
        ],
    ),
    (
        "Romanian",
        &[Charset::Cp1250, Charset::Latin2],
        &[
            "Bucureşti",
            "Ciocâltea, Victor",
            "Timişoara",
            "Gheorghiu, Florin (Braşov)",
            "Negulescu, Ştefan",
            "Ţăranu, Ion",
            "Iaşi",
            "Constanţa, campionatul naţional",
            "Nisipeanu, Liviu-Dieter (Băile Tuşnad)",
            "Parligras, Mircea (Ploieşti)",
            "Lupulescu, Constantin (Câmpina)",
            "Piteşti",
            "Ungureanu, Emil (Bistriţa)",
            "Grigore, Mihăiţă",
            "Moldovan, Dănuţ",
        ],
    ),
    (
        "Russian",
        CYRILLIC,
        &[
            "Каспаров, Гарри",
            "Карпов, Анатолий",
            "Юрий",
            "Яковлев, Яша",
            "Ботвинник, Михаил",
            "Москва",
            "Петросян, Тигран",
            "Смыслов",
            "Чемпионат СССР",
            "Щербаков, Эдуард",
            "Ленинград, полуфинал",
            "Жуков",
            "Спасский, Борис",
            "Таль",
            "Геллер, Ефим",
            "Полугаевский, Лев",
            "Сочи, мемориал Чигорина",
            "Хасин",
            "Цешковский, Виталий",
            "Юсупов, Артур",
        ],
    ),
    (
        "Ukrainian",
        CYRILLIC_WINDOWS,
        &[
            "Іванчук, Василь",
            "Київ",
            "Львів",
            "Пономарьов, Руслан",
            "Ельянов, Павло",
            "Харків, чемпіонат України",
            "Єфименко, Захар",
            "Коробов, Антон",
            "Дніпропетровськ",
            "Моїсеєнко, Олександр",
            "Запоріжжя",
            "Тернопіль",
            "Жукова, Наталія",
            "Ужгород",
            "Вінниця, шахова школа",
        ],
    ),
    (
        "Serbian",
        CYRILLIC_WINDOWS,
        &[
            "Глигорић, Светозар",
            "Љубојевић, Љубомир",
            "Београд",
            "Ивановић, Божидар",
            "Крагујевац",
            "Ћирић, Драгољуб",
            "Ниш, првенство",
            "Матуловић, Милан",
            "Ђурић, Стефан",
            "Нови Сад",
            "Маркуш, Роберт (Врњачка Бања)",
            "Џевлан",
            "Велимировић",
            "Јањић",
            "Чачак",
        ],
    ),
];

/// Languages whose names occur in one database.
const BASES: &[(&str, &[&str])] = &[
    (
        "Western",
        &["German", "French", "Spanish", "Portuguese", "Italian"],
    ),
    ("Northern", &["German", "Nordic", "Icelandic"]),
    ("Central", &["Polish", "Czech", "Hungarian", "Croatian"]),
    ("Russian", &["Russian"]),
];

fn has_letters(name: &str, charset: Charset) -> Option<Vec<u8>> {
    charset.encode(name).ok().filter(|bytes| !bytes.is_ascii())
}

/// The names of some languages that a charset can write, with their bytes.
fn names(of: &[&str], charset: Charset) -> Vec<(&'static str, Vec<u8>)> {
    let languages = LANGUAGES
        .iter()
        .filter(|(language, charsets, _)| of.contains(language) && charsets.contains(&charset));
    let names = languages.flat_map(|(.., names)| names.iter().copied());
    names
        .filter_map(|name| Some((name, has_letters(name, charset)?)))
        .collect()
}

fn detector(names: &[(&str, Vec<u8>)]) -> CharsetDetector {
    let mut detector = CharsetDetector::new();
    for (_, bytes) in names {
        detector.push(bytes);
    }
    detector
}

#[derive(Default)]
struct DetectionRate {
    right: u32,
    of: u32,
}

impl DetectionRate {
    fn add(&mut self, is_right: bool) {
        self.right += u32::from(is_right);
        self.of += 1;
    }

    /// In tenths of a per cent.
    fn per_mille(&self) -> u32 {
        self.right * 1000 / self.of.max(1)
    }
}

impl std::fmt::Display for DetectionRate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = self.per_mille();
        write!(
            f,
            "{}.{} % ({} of {})",
            rate / 10,
            rate % 10,
            self.right,
            self.of
        )
    }
}

#[test]
fn the_charset_of_names_is_found_out() {
    let (mut single, mut tens, mut bases, mut kept) = (
        DetectionRate::default(),
        DetectionRate::default(),
        DetectionRate::default(),
        DetectionRate::default(),
    );
    let mut wrong = Vec::new();
    for (language, charsets, _) in LANGUAGES {
        for charset in *charsets {
            let names = names(&[language], *charset);
            let (mut alone, mut together) = (DetectionRate::default(), DetectionRate::default());
            for (name, bytes) in &names {
                let found = detector(&[(name, bytes.clone())]).guess_legacy().charset;
                alone.add(found.decode(bytes) == *name);
                if found.decode(bytes) != *name && *charset == charsets[0] {
                    wrong.push(format!(
                        "{name} read as {} ({})",
                        found.decode(bytes),
                        found.name()
                    ));
                }
            }
            for ten in names.chunks(10) {
                let found = detector(ten).guess_legacy().charset;
                together.add(ten.iter().all(|(name, bytes)| found.decode(bytes) == *name));
            }
            eprintln!(
                "{language} in {}: alone {alone}, by tens {together}",
                charset.name()
            );
            for (sum, part) in [(&mut single, &alone), (&mut tens, &together)] {
                sum.right += part.right;
                sum.of += part.of;
            }
        }
    }
    for (base, languages) in BASES {
        let charsets = LANGUAGES.iter().find(|(known, ..)| *known == languages[0]);
        for charset in charsets.map_or(&[][..], |(_, charsets, _)| charsets) {
            let names = names(languages, *charset);
            let found = detector(&names).guess_legacy().charset;
            let is_right = names
                .iter()
                .all(|(name, bytes)| found.decode(bytes) == *name);
            bases.add(is_right);
            if !is_right {
                wrong.push(format!(
                    "the {base} base in {} read as {}",
                    charset.name(),
                    found.name()
                ));
            }
            // In a database whose charset is known, no name clearly suggests another one.
            for (name, bytes) in &names {
                let other = detector(&[(name, bytes.clone())]).against(*charset);
                kept.add(other.is_none_or(|other| other.decode(bytes) == *name));
            }
        }
    }
    for line in &wrong {
        eprintln!("wrong: {line}");
    }
    eprintln!("alone {single}; by tens {tens}; whole bases {bases}; kept beside a base {kept}");
    assert!(single.per_mille() >= 850, "{single}");
    assert!(tens.per_mille() >= 950, "{tens}");
    assert_eq!(bases.right, bases.of, "{wrong:?}");
    assert!(kept.per_mille() >= 995, "{kept}");
}

/// Names that clearly suggest a charset, each with rare letters and symbols next to them.
#[test]
fn rare_letters_beside_clear_names_change_nothing() {
    let clear = [
        "Müller, Jörg",
        "Señor Muñoz",
        "François, Hélène",
        "Göran Åkesson",
        "João Leitão",
    ];
    for odd in [
        "Œuvre",
        "¼ Finale",
        "Viertelfinale ¼",
        "¼finale",
        "Þór",
        "Þorsteinn",
        "3¾ Punkte",
        "Cœur",
        "Œ",
        "Þ",
        "¼",
    ] {
        let mut detector = CharsetDetector::new();
        for name in clear.iter().chain([&odd]) {
            detector.push(&Charset::Cp1252.encode(name).expect("has a code"));
        }
        assert_eq!(detector.guess_legacy().charset, Charset::Cp1252, "{odd}");
        let mut alone = CharsetDetector::new();
        let bytes = Charset::Cp1252.encode(odd).expect("has a code");
        alone.push(&bytes);
        assert_eq!(alone.against(Charset::Cp1252), None, "{odd}");
    }
}

#[test]
fn what_fills_unused_space_is_no_text() {
    for filling in [
        &b"\xff\xff\xff\xff\xff\xff"[..],
        b"\xff",
        b"Tal\xff\xff\xff",
        b"\xff\xff Tal",
        b"\xff \xff \xff",
    ] {
        let mut detector = CharsetDetector::new();
        detector.push(filling);
        assert_ne!(
            detector.guess_legacy().charset,
            Charset::Cp1251,
            "{filling:?}"
        );
        // Nor next to names.
        detector.push(b"M\xfcller");
        assert_eq!(
            detector.guess_legacy().charset,
            Charset::Cp1252,
            "{filling:?}"
        );
        assert_eq!(detector.against(Charset::Cp1252), None, "{filling:?}");
    }
    // The letter itself is still read as one.
    for name in ["Яковлев, Яша", "Москвя", "Третья партия", "моя"] {
        let bytes = Charset::Cp1251.encode(name).expect("has a code");
        let mut detector = CharsetDetector::new();
        detector.push(&bytes);
        assert_eq!(detector.guess_legacy().charset, Charset::Cp1251, "{name}");
    }
}
