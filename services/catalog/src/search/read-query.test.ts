import { describe, expect, it } from 'vitest';
import { readQuery } from './read-query.ts';

const read = (query: string): readonly string[][] =>
  readQuery(query, () => 1).terms.map(({ words }) => words.map(({ word }) => word));

describe('a query', () => {
  it('has the words of the glossary that mean the same, each less certain than its own', () => {
    const [bill, customer] = readQuery('bill a customer', () => 1).terms;
    expect(bill?.words).toContainEqual({ word: 'bill', quality: 1, match: 'beginning' });
    const invoice = bill?.words.find(({ word }) => word === 'invoice');
    expect(invoice?.quality).toBeLessThan(1);
    expect(customer?.words.map(({ word }) => word)).toContain('client');
  });

  it.each([
    ['Termin im Kalender anlegen', 'event calendar create'],
    ['Wo sind die Rechnungen?', 'invoice'],
    ['crear una cita en el calendario', 'create event calendar'],
    ['añadir una fila a la hoja de cálculo', 'create row spreadsheet'],
    ["créer un rendez-vous dans l'agenda", 'create event calendar'],
    ['fusionner une demande de tirage', 'merge pull request'],
    ['Seite in Notion erstellen', 'page Notion create'],
    ['bill a customer', 'bill a customer'],
  ])('%j is %j in English', (query, english) => {
    expect(readQuery(query, () => 1).english).toBe(english);
  });

  it('keeps a translated word, because an account may have tools in that language', () => {
    expect(read('Rechnung erstellen')[0]).toContain('rechnung');
  });

  it('has a term for each word of a phrase', () => {
    expect(read('list pull requests').map(([word]) => word)).toEqual(['list', 'pull', 'request']);
  });

  it('allows typing errors in words that the glossary does not know', () => {
    const [term] = readQuery('frobnicte', () => 1).terms;
    expect(term?.words).toEqual([{ word: 'frobnicte', quality: 1, match: 'typed' }]);
  });

  it('without a word that says something has no terms', () => {
    expect(read('what is it?')).toEqual([]);
  });
});
