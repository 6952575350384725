import type { SearchText } from '@fairlead/lexical-index/search-index';
import { describe, expect, it } from 'vitest';
import { createMeaningIndex } from './meaning-index.ts';
import { readWordVectors } from './word-vectors.ts';

const tools: readonly SearchText[] = [
  tool('crm-create-invoice', 'Create invoice', 'Creates a draft for an amount.'),
  tool('crm-create-contact', 'Create contact', 'Adds somebody.'),
  tool('crm-list-contacts', 'List contacts', 'Returns everybody.'),
  tool('chat-send-message', 'Send message', 'Sends a message to a channel.'),
];

function tool(slug: string, name: string, description: string): SearchText {
  return { slug, name, description, category: '', application: '' };
}

const createIndex = createMeaningIndex({ platform: () => tools, vectors: await readWordVectors() });

async function search(query: string, items = tools): Promise<readonly (readonly [string, number])[]> {
  const hits = await createIndex(items, (item) => item).search(query);
  return hits.toSorted((a, b) => b.score - a.score).map(({ item, score }) => [item.slug, score]);
}

describe('the index of the catalogue', () => {
  it.each([
    ['bill a customer', 'crm-create-invoice'],
    ['Kunden anlegen', 'crm-create-contact'],
    ['escribir en un canal', 'chat-send-message'],
    ['publier un message', 'chat-send-message'],
  ])('finds for %j %s first', async (query, slug) => {
    expect((await search(query))[0]?.[0]).toBe(slug);
  });

  it('scores an exact slug or name with 1, and nothing else', async () => {
    for (const query of ['crm-list-contacts', 'list contacts']) {
      const [first, ...others] = await search(query);
      expect(first).toEqual(['crm-list-contacts', 1]);
      for (const [slug, score] of others) expect(score, slug).toBeLessThan(1);
    }
  });

  it('scores an item the same in an index of an account as among those of the platform', async () => {
    const query = 'write in the channel';
    const [alone] = await search(query, tools.slice(3));
    expect(alone?.[0]).toBe('chat-send-message');
    expect((await search(query))[0]).toEqual(alone);
  });

  it('finds an item whose meaning is like that of the query, without a word of it', async () => {
    expect((await search('telegraph'))[0]?.[0]).toBe('chat-send-message');
    expect(await search('xylophone')).toEqual([]);
  });

  it('ranks an item that does what the query asks for before one that does something else', async () => {
    const invoices = [
      tool('crm-cancel-invoice', 'Cancel invoice', 'Of a contact.'),
      tool('crm-list-invoices', 'List invoices', 'Of a contact.'),
      tool('crm-send-invoice', 'Send invoice', 'Of a contact.'),
    ];
    for (const [query, slug] of [
      ['which invoice does a contact have', 'crm-list-invoices'],
      ['email the contact an invoice', 'crm-send-invoice'],
      ['throw an invoice of a contact away', 'crm-cancel-invoice'],
    ] as const)
      expect((await search(query, invoices))[0]?.[0], query).toBe(slug);
  });
});
