import { describe, expect, it } from 'vitest';
import type { SearchText } from './search-index.ts';
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
    // One item has both words in its name and description, the other has neither in its name.
    expect(found.indexOf('sandbox-crm-create-invoice')).toBe(0);
    expect((await search('person list'))[0]).toBe('sandbox-crm-list-contacts');
  });

  it('ranks the item first of whose name the query has more', async () => {
    const names = ['Create invoice reminder', 'Create invoice', 'Create invoice line item'];
    const items = names.map((name) => text('', name, 'Creates it for an invoice.', 'Invoices'));
    const hits = await createLexicalIndex(items, (item) => item).search('create an invoice now');
    const found = hits.toSorted((a, b) => b.score - a.score).map(({ item }) => item.name);
    expect(found).toEqual(['Create invoice', 'Create invoice reminder', 'Create invoice line item']);
  });

  it('finds prefixes, plurals and mistyped words', async () => {
    expect(await search('invo')).toEqual(['sandbox-crm-create-invoice']);
    expect((await search('invoices'))[0]).toBe('sandbox-crm-create-invoice');
    for (const mistyped of ['invioce', 'invoce', 'invooice', 'imvoice', 'nivoice', 'imvoise', 'invcoie'])
      expect((await search(mistyped))[0], mistyped).toBe('sandbox-crm-create-invoice');
    expect(await search('imwoise')).toEqual([]);
  });

  it.each(['', '  ', '!?', 'the of a', 'xyzzy'])('finds nothing for %j', async (query) => {
    expect(await search(query)).toEqual([]);
  });

  it('finds the first words of a long text only, and words of any length by their beginning', async () => {
    const words = Array.from({ length: 60 }, (_value, at) => `word${'abcdefghij'[at % 10]}${at}`);
    const long = createLexicalIndex([text('a', 'A', words.join(' '), 'x'.repeat(5_000))], (item) => item);
    expect(await long.search(words[39] ?? '')).toHaveLength(1);
    expect(await long.search('x'.repeat(4_000))).toHaveLength(1);
    // Words with fewer than four letters are not matched with typing errors.
    const numbers = Array.from({ length: 60 }, (_value, at) => String(100 + at));
    const short = createLexicalIndex([text('a', 'A', numbers.join(' '), 'B')], (item) => item);
    expect(await short.search('139')).toHaveLength(1);
    expect(await short.search('140')).toEqual([]);
  });

  it('serves other calls while it indexes and searches the largest application', async () => {
    const large = Array.from({ length: 1_000 }, (_value, at) =>
      text(
        `own-${at}`,
        `Thing ${at}`,
        Array.from({ length: 100 }, (_word, n) => `w${at}x${n}`).join(' '),
        'Things',
      ),
    );
    const own = createLexicalIndex(large, (item) => item);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await own.search('thing');
    expect(turns).toBeGreaterThan(40);
    turns = 0;
    await own.search(Array.from({ length: 30 }, (_word, n) => `w${n}x1`).join(' '));
    isDone = true;
    expect(turns).toBeGreaterThan(10);
  });

  it('reads the texts of its items for the first search only', async () => {
    let reads = 0;
    const counted = texts.map(
      (item) =>
        new Proxy(item, {
          get(target, name) {
            reads += 1;
            return Reflect.get(target, name) as unknown;
          },
        }),
    );
    const own = createLexicalIndex(counted, (item) => item);
    await own.search('missing');
    const first = reads;
    expect(first).toBeGreaterThan(0);
    for (const query of ['contact', 'invoice', 'contcat']) await own.search(query);
    expect(reads).toBe(first);
  });

  it('compares a word with a bounded number of words of its length: the others are not found mistyped', async () => {
    const wordOf = (at: number): string => `word${String(at).padStart(8, '0')}`;
    const large = Array.from({ length: 100 }, (_item, at) =>
      text(
        `s${at}`,
        'Thing',
        Array.from({ length: 40 }, (_word, n) => wordOf(at * 40 + n)).join(' '),
        'Things',
      ),
    );
    const own = createLexicalIndex(large, (item) => item);
    for (const at of [0, 3_999]) expect(await own.search(wordOf(at))).not.toEqual([]);
    expect(await own.search(wordOf(0).replace('w', 'b'))).toHaveLength(1);
    expect(await own.search(wordOf(3_999).replace('w', 'b'))).toEqual([]);
  });

  it('reads a bounded number of places of words: what follows in a query finds nothing', async () => {
    const large = Array.from({ length: 2_000 }, (_item, at) => {
      const words = Array.from({ length: 40 }, (_word, n) => `common${at}x${n}`).join(' ');
      return text(words, at === 1_999 ? 'Invoice' : 'Thing', words, words);
    });
    const own = createLexicalIndex(large, (item) => item);
    const finds = async (query: string): Promise<boolean> =>
      (await own.search(query)).toSorted((a, b) => b.score - a.score)[0]?.item === large[1_999];
    expect(await finds('invoice co com comm commo')).toBe(true);
    expect(await finds('co com comm commo invoice')).toBe(false);
  });

  it('scores a hit the same whatever else the index holds', async () => {
    const alone = createLexicalIndex(texts.slice(0, 1), (item) => item);
    const [hit] = await alone.search('contact person');
    const same = (await index.search('contact person')).find(({ item }) => item === texts[0]);
    expect(hit?.score).toBe(same?.score);
  });
});
