import type { SearchText } from '@fairlead/lexical-index/search-index';
import { describe, expect, it } from 'vitest';
import { createMeaningIndexes } from './meaning-index.ts';

const tools: readonly SearchText[] = [
  tool('crm-create-invoice', 'Create invoice', 'Creates a draft for an amount.'),
  tool('crm-create-contact', 'Create contact', 'Adds somebody.'),
  tool('crm-list-contacts', 'List contacts', 'Returns everybody.'),
  tool('chat-send-message', 'Send message', 'Sends a message to a channel.'),
];

function tool(slug: string, name: string, description: string): SearchText {
  return { slug, name, description, category: '', application: '' };
}

const createIndex = createMeaningIndexes(() => tools);

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
    const [alone] = await search('write in the channel', tools.slice(3));
    expect((await search('write in the channel'))[0]).toEqual(alone);
  });
});
