// Refusals, findings and losses in the language of the app: sentences by code, and the server's English where there is none.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

async function loaded() {
  const clock = new Clock();
  const page = await Page.load(clock, new Network(clock, new Server()), new Storage(), '/', chance(1));
  await clock.pass(100);
  return page;
}

const missing = { error: 'a.pgn: there is no game 5', code: 'no-such-game', kind: 'not-found', values: { file: 'a.pgn', number: '5' } };

test('a refusal is told in the language that was chosen', async () => {
  const { refusals, words } = await loaded();
  assert.equal(await refusals.sentence(missing), missing.error);
  await words.setLanguage('de');
  assert.equal(await refusals.sentence(missing), 'a.pgn: Partie 5 gibt es nicht.');
  await words.setLanguage('fr');
  assert.equal(await refusals.sentence(missing), 'a.pgn: La partie 5 n’existe pas.');
});

test('what can be done is told behind it', async () => {
  const { refusals, words } = await loaded();
  await words.setLanguage('de');
  const damaged = { error: 'damaged', code: 'damaged-not-changed', kind: 'corrupt', values: {}, hint: { code: 'repair' } };
  assert.match(await refusals.sentence(damaged), /endgültig machen\. Eine Reparatur schreibt eine unbeschädigte Kopie\.$/);
});

test('a database without one of its files is told in every language, and what a repair does without that file', async () => {
  const { refusals, words } = await loaded();
  const told = { error: 'games.cbg: the .cbh file is missing', code: 'companion-missing', kind: 'corrupt', values: { file: 'games.cbg' } };
  const hint = { code: 'find-games' };
  const all = [
    ['de', /^games\.cbg: Der Datenbank fehlt eine ihrer Dateien: .+ auf diese Seite\.$/, /\. Eine Reparatur findet Partien auch ohne die fehlende Datei\.$/],
    ['es', /^games\.cbg: A la base le falta uno de sus archivos: .+ a esta página\.$/, /\. Una reparación .+ sin el archivo que falta\.$/],
    ['fr', /^games\.cbg: Il manque à la base un de ses fichiers : .+ sur cette page\.$/, /\. Une réparation .+ sans le fichier manquant\.$/],
    ['ru', /^games\.cbg: Базе не хватает одного из её файлов: .+ на эту страницу\.$/, /\. Восстановление .+ без недостающего файла\.$/],
  ];
  for (const [language, sentence, behind] of all) {
    await words.setLanguage(language);
    assert.match(await refusals.sentence(told), sentence);
    assert.match(await refusals.sentence({ ...told, hint }), behind);
  }
});

test('an encrypted archive asks for its password in every language', async () => {
  const { refusals, words } = await loaded();
  const message = 'a.cbz: this is an encrypted archive of a ChessBase database (.cbz); a password opens it';
  const told = { error: message, code: 'foreign-format', kind: 'not-this-format', values: { message }, hint: { code: 'password' } };
  const all = [
    ['de', /^So lässt sich diese Datei nicht öffnen \(a\.cbz: .+\)\. Geben Sie das Passwort ein\.$/],
    ['es', /^Este archivo no se puede abrir así \(a\.cbz: .+\)\. Escriba la contraseña\.$/],
    ['fr', /^Ce fichier ne peut pas être ouvert ainsi \(a\.cbz: .+\)\. Saisissez le mot de passe\.$/],
    ['ru', /^Так этот файл не открыть \(a\.cbz: .+\)\. Введите пароль\.$/],
  ];
  for (const [language, sentence] of all) {
    await words.setLanguage(language);
    assert.match(await refusals.sentence(told), sentence);
  }
});

test('the place of an error is told before it, in the language of the app, and once', async () => {
  const { refusals, words } = await loaded();
  await words.setLanguage('de');
  const values = { file: 'games.emb', game: '7', byte: '120', message: 'the block ends early' };
  const damaged = { error: 'games.emb, game 7, byte 120: the block ends early', code: 'damaged', kind: 'corrupt', values };
  const sentence = 'Die Datei ist zu stark beschädigt, um gelesen zu werden (the block ends early).';
  assert.equal(await refusals.sentence(damaged), `games.emb, Partie 7, Byte 120: ${sentence}`);
  assert.equal(await refusals.sentence({ ...damaged, values: { line: '3', message: values.message } }), `Zeile 3: ${sentence}`);
  assert.equal(await refusals.sentence({ ...damaged, values: { message: values.message } }), sentence);
  await words.setLanguage('fr');
  assert.match(await refusals.sentence(damaged), /^games\.emb, partie 7, octet 120: /);
});

test('a refusal without a sentence, or without a value of it, is told in English', async () => {
  const { refusals, words } = await loaded();
  await words.setLanguage('ru');
  const unknown = { error: 'something else', code: 'nothing-of-the-kind', kind: 'usage' };
  assert.equal(await refusals.sentence(unknown), 'something else');
  assert.equal(await refusals.sentence({ ...missing, values: {} }), missing.error);
});

test('findings and losses are told by their codes, when their words are here', async () => {
  const { findings, words } = await loaded();
  await words.setLanguage('es');
  assert.equal(findings.summary('pgn-unclosed-comment', 'A comment is not closed.'), 'A comment is not closed.');
  await findings.fetched();
  assert.equal(findings.summary('pgn-unclosed-comment', 'A comment is not closed.'), 'Un comentario no está cerrado.');
  assert.equal(findings.summary('nothing-of-the-kind', 'Something else.'), 'Something else.');
  await words.setLanguage('en');
  assert.equal(findings.summary('pgn-unclosed-comment', 'A comment is not closed.'), 'A comment is not closed.');
});
