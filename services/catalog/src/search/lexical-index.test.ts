import { describe, expect, it } from 'vitest';
import type { SearchText } from '../domain/search-index.ts';
import { createLexicalIndex } from './lexical-index.ts';

const texts: readonly SearchText[] = [
  text('sandbox-crm-create-contact', 'Create contact', 'Adds a person to the CRM.', 'Contacts'),
  text('sandbox-crm-list-contacts', 'List contacts', 'Returns the contacts of the CRM.', 'Contacts'),
  text('sandbox-crm-create-invoice', 'Create invoice', 'Bills a contact for an amount.', 'Invoices'),
  text('http-send-request', 'Send request', 'Sends one HTTP request.', 'Requests', 'HTTP'),
];

function text(
  slug: string,
  name: string,
  description: string,
  category: string,
  application = 'Sandbox CRM',
): SearchText {
  return { slug, name, description, category, application };
}

const index = createLexicalIndex(texts, (item) => item);

async function search(query: string): Promise<readonly string[]> {
  const hits = await index.search(query);
  return hits.toSorted((a, b) => b.score - a.score).map(({ item }) => item.slug);
}

describe('the lexical index', () => {
  it.each(['sandbox-crm-list-contacts', '  LIST   Contacts ', 'Sandbox-CRM-list-contacts'])(
    'scores the exact slug or name %j with 1, and nothing else',
    async (query) => {
      const exact = (await index.search(query)).filter(({ score }) => score === 1);
      expect(exact.map(({ item }) => item.slug)).toEqual(['sandbox-crm-list-contacts']);
    },
  );

  it('keeps every other score between 0 and 1', async () => {
    for (const query of ['contact', 'create a contact', 'crm', 'zzz http', 'create contact create contact']) {
      for (const { score } of (await index.search(query)).filter(
        ({ item }) => item.name.toLowerCase() !== query,
      )) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThan(1);
      }
    }
  });

  it('puts the item that covers more of the query first', async () => {
    expect((await search('create contact'))[0]).toBe('sandbox-crm-create-contact');
    expect((await search('add a new invoice to the crm'))[0]).toBe('sandbox-crm-create-invoice');
    expect((await search('bill a contact'))[0]).toBe('sandbox-crm-create-invoice');
  });

  it('ranks a match in the name above one in the description', async () => {
    const found = await search('invoice contact');
    // One has both words in its name and description, the other neither in its name.
    expect(found.indexOf('sandbox-crm-create-invoice')).toBe(0);
    expect((await search('person list'))[0]).toBe('sandbox-crm-list-contacts');
  });

  it('finds prefixes, plurals and mistyped words', async () => {
    expect(await search('invo')).toEqual(['sandbox-crm-create-invoice']);
    expect((await search('invoices'))[0]).toBe('sandbox-crm-create-invoice');
    expect((await search('invioce'))[0]).toBe('sandbox-crm-create-invoice');
  });

  it.each(['', '  ', '!?', 'the of a', 'xyzzy'])('finds nothing for %j', async (query) => {
    expect(await search(query)).toEqual([]);
  });

  it('scores a hit the same whatever else the index holds', async () => {
    const alone = createLexicalIndex(texts.slice(0, 1), (item) => item);
    const [hit] = await alone.search('contact person');
    const same = (await index.search('contact person')).find(({ item }) => item === texts[0]);
    expect(hit?.score).toBe(same?.score);
  });
});
