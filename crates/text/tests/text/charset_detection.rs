//! Guessing charsets, on names as in databases.

use tabiya_text::charset::Charset;
use tabiya_text::charset::detect::{CharsetDetector, detect};

/// The charsets that a language was written in.
const WESTERN: &[Charset] = &[
    Charset::Cp1252,
    Charset::Cp850,
    Charset::Cp437,
    Charset::MacRoman,
];
const CENTRAL: &[Charset] = &[Charset::Cp1250, Charset::Cp852, Charset::Latin2];
const CYRILLIC: &[Charset] = &[Charset::Cp1251, Charset::Cp866, Charset::Koi8R];

/// Names and comments of each language.
const LANGUAGES: &[(&str, &[Charset], &str)] = &[
    (
        "German",
        WESTERN,
        "Hübner, Robert|Müller, Karsten|Jörg Hickl|Schäfer, Peter|Größe zählt nicht|Bönsch, Uwe|Knaak, Rainer gegen Vökler\
         |Weiß übersieht den Gewinn|Österreich|Köln|München|Düsseldorf|Zürich|Währungsreform|Gligorić wäre hier stärker\
         |Überraschend ist das schöne Läuferopfer|Bläß, F|Fuß, Jürgen|Nürnberg|Grünfeld",
    ),
    (
        "French",
        WESTERN,
        "Étienne Bacrot|Fressinet, Laurent à Évry|Apicella, André|Défense française|Le pion passé décide|Hélène Mira|Orléans\
         |Besançon|Prié, Éric|Sébastien Mazé|Très forte idée|La tour est forcée de reculer|François Dupré|même coup\
         |Gruenfeld différée|château|être prêt|C'était à jouer|Évry-Grigny|Clément",
    ),
    (
        "Spanish",
        WESTERN,
        "Vallejo Pons, Francisco en Málaga|Núñez, José|García, Ramón|Peña, Íñigo|Campeonato de España|Los Ángeles|León\
         |Defensa siciliana, variante del dragón|Gómez Baillo|Córdoba|Martínez, Martín|Iturrizaga Bonelli en Mérida|Muñoz\
         |mejor opción|rápido|Logroño|Cañas|Panamá|Domínguez Pérez, Leinier|jugó más rápido",
    ),
    (
        "Portuguese",
        WESTERN,
        "João Pessoa|São Paulo|Simões, Luís|Conceição|Magalhães|Sebastião|avançado|posição|peão|Leitão, Rafael|Galvão\
         |Brandão, Antônio|torneio de campeões|Guimarães|Fortaleza, Ceará|lance único|não é possível|Três Corações",
    ),
    (
        "Scandinavian",
        WESTERN,
        "Nørgaard, Jørn|Hillarp Persson i Malmö|Ågård, Åke|Blåbær|Ørsted|Tromsø|Göteborg|Västerås|Håkansson|Sjöberg, Märta\
         |København|Bækkelund|Rødovre|Ålborg|Mäkelä, Väinö|Jyväskylä|Kjær, Søren|Østergaard|hvid står bedre|Århus|Pähkinä",
    ),
    (
        "Polish",
        CENTRAL,
        "Radosław Wojtaszek|Miśta, Aleksander|Łódź|Kraków|Gdańsk|Bartłomiej Macieja|Świercz|Dębski|Mikołajki|Sokołów\
         |Kępiński|Żak, Stanisław|Częstochowa|Wrocław|Jędrzejów|mała przewaga białych|Gołąb|źle|Piotrków Trybunalski\
         |Krzyżanowski|Poznań|Toruń|Święta",
    ),
    (
        "Czech and Slovak",
        CENTRAL,
        "Navara v Třinci|Láznička, Viktor|Hráček|Jansa, Vlastimil|Dvořák|Šustr, Jiří|Plzeň|Luhačovice|Příbram|Veselý|Kočí\
         |Černý má výhodu|Žďár nad Sázavou|lepší tah|Trenčín|Bratislava, Ružinov|Petr Haba ve Zlíně|Kubíček|Říčany\
         |Konopčík|Blatný, Pavel v Brně|Košice|Ľuboš Ftáčnik|Ústí nad Labem",
    ),
    (
        "Hungarian",
        CENTRAL,
        "Lékó Péter|Polgár Judit|Almási Zoltán|Erdős, Viktor|Szűcs|Győr|Kőszeg|Lőrincz|Békéscsaba|Barczay László|Fűzfő\
         |Kecskemét|Zalakarosi nyílt verseny, első forduló|Pécs|Mező|Horváth Csaba|Gyula Sax|Hévíz|Őrség|Üllő|Csősz",
    ),
    (
        "Croatian",
        CENTRAL,
        "Gligorić, Svetozar|Ivkov u Beogradu|Marin Bosiočić|Šarić, Ivan|Kovačević|Đurić|Čabrilo|Petrović|Kožul, Zdenko\
         |Zlatko Ilinčić|Niš|Vrnjačka Banja|Ljubojević|Velimirović|Ćirić|Cvitan u Šibeniku|Matanović|Božidar",
    ),
    (
        "Russian",
        CYRILLIC,
        "Карпов, Анатолий|Каспаров|Москва|Ленинград|Петросян, Тигран|Белые выигрывают|Сильнее было 23.Лe1|Щербаков|Юрмала\
         |Крамник|объективно лучше у чёрных|Спасский, Борис|Чемпионат СССР|Таль|Эльянов, Павел|Жуховицкий|Ход ошибочный\
         |Корчной, Виктор|Геллер|матч-турнир|в цейтноте",
    ),
];

fn shown(charset: Charset, confidence: f32) -> String {
    format!("{} at {confidence:.2}", charset.name())
}

/// A long ASCII game around a text.
fn in_a_game(name: &[u8]) -> Vec<u8> {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8\n";
    let mut game = b"[Event \"Open\"]\n[Site \"?\"]\n[White \"".to_vec();
    game.extend_from_slice(name);
    game.extend_from_slice(b"\"]\n[Black \"Smith, John\"]\n[Result \"1-0\"]\n\n");
    game.extend(moves.repeat(200).bytes());
    game
}

#[test]
fn files_are_told_from_all_their_strings() {
    for (language, charsets, strings) in LANGUAGES {
        for &charset in *charsets {
            let mut detector = CharsetDetector::new();
            let mut all = Vec::new();
            for string in strings.split('|') {
                // Names of other countries are written as well as the charset can.
                let (bytes, _) = charset.encode_lossy(string);
                detector.push(&bytes);
                all.extend(bytes);
                all.push(b'\n');
            }
            let guess = detector.guess();
            let seen = shown(guess.charset, guess.confidence);
            assert_eq!(
                guess.charset.decode(&all),
                charset.decode(&all),
                "{language} in {}: {seen}",
                charset.name()
            );
            assert!(
                guess.confidence > 0.3,
                "{language} in {}: {seen}",
                charset.name()
            );
        }
    }
}

#[test]
fn single_strings_are_mostly_told() {
    let (mut right, mut total) = (0, 0);
    let mut report = String::new();
    for (language, charsets, strings) in LANGUAGES {
        for &charset in *charsets {
            let (mut here, mut count) = (0, 0);
            for string in strings.split('|') {
                let Ok(bytes) = charset.encode(string) else {
                    continue;
                };
                if bytes.is_ascii() {
                    continue;
                }
                count += 1;
                let guess = detect(&in_a_game(&bytes));
                let text = guess.charset.decode(&bytes);
                here += usize::from(text == string);
                if text != string {
                    report.push_str(&format!(
                        "  {} {string} -> {} {text}\n",
                        charset.name(),
                        guess.charset.name()
                    ));
                }
                // The game around a name must not change how it is decoded.
                assert_eq!(detect(&bytes).charset, guess.charset, "{string}");
            }
            report.push_str(&format!(
                "{language} in {}: {here} of {count}\n",
                charset.name()
            ));
            right += here;
            total += count;
        }
    }
    assert!(right * 100 >= total * 90, "{right} of {total}\n{report}");
}
