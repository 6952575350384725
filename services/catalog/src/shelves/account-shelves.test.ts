import type { Connector } from '@fairlead/connector-model/model';
import { accountOf } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { createLexicalIndex } from '../search/lexical-index.ts';
import { catalogued, testConnector } from '../testing/connectors.ts';
import { createAccountShelves } from './account-shelves.ts';
import type { AccountStore } from '../ports/account-store.ts';

/** The reading side of a store, in memory; counts how often it is asked for whole shelves. */
class MemoryStore implements Pick<AccountStore, 'revision' | 'list'> {
  readonly accounts = new Map<string, { revision: number; connectors: readonly Connector[] }>();
  loads: string[] = [];

  change(accountId: string, ...connectors: readonly Connector[]): void {
    const revision = (this.accounts.get(accountId)?.revision ?? 0) + 1;
    this.accounts.set(accountId, { revision, connectors });
  }

  revision: AccountStore['revision'] = (_ctx, accountId) =>
    Promise.resolve(this.accounts.get(accountId)?.revision ?? 0);

  list: AccountStore['list'] = (_ctx, accountId) => {
    this.loads.push(accountId);
    const connectors = this.accounts.get(accountId)?.connectors ?? [];
    return Promise.resolve({ applications: connectors.map(catalogued), sizeBytes: 100 * connectors.length });
  };
}

const contextOf = (accountId: string) => testContext({ accountId });

function shelvesOver(store: MemoryStore, maxBytes: number) {
  const shelves = createAccountShelves({ store, createIndex: createLexicalIndex, maxBytes });
  return async (accountId: string): Promise<readonly string[] | undefined> => {
    const ctx = contextOf(accountId);
    const shelf = await shelves.shelfOf(ctx, accountOf(ctx));
    return shelf?.applications.map(({ connector }) => connector.slug);
  };
}

describe('account shelves', () => {
  it('answer nothing, without loading, for an account that never had an application', async () => {
    const store = new MemoryStore();
    expect(await shelvesOver(store, 1000)('a')).toBeUndefined();
    expect(store.loads).toEqual([]);
  });

  it('load once, and again after a change made anywhere', async () => {
    const store = new MemoryStore();
    const slugsOf = shelvesOver(store, 1000);
    store.change('a', testConnector('one'));
    await slugsOf('a');
    expect(await slugsOf('a')).toEqual(['one']);
    expect(store.loads).toEqual(['a']);
    store.change('a', testConnector('two'));
    expect(await slugsOf('a')).toEqual(['two']);
    expect(store.loads).toEqual(['a', 'a']);
  });

  it('forget the shelf that was not used for longest when they hold too much', async () => {
    const store = new MemoryStore();
    const slugsOf = shelvesOver(store, 250);
    for (const account of ['a', 'b']) store.change(account, testConnector(account));
    await slugsOf('a');
    await slugsOf('b');
    await slugsOf('a');
    store.change('c', testConnector('c'));
    await slugsOf('c');
    store.loads = [];
    await slugsOf('a');
    await slugsOf('c');
    expect(store.loads).toEqual([]);
    await slugsOf('b');
    expect(store.loads).toEqual(['b']);
  });

  it('serve an account that is larger than all they may hold', async () => {
    const store = new MemoryStore();
    store.change('a', testConnector('one'), testConnector('two'));
    expect(await shelvesOver(store, 10)('a')).toEqual(['one', 'two']);
  });
});
