import type { Connector } from '@fairlead/connector-model/model';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { createApplicationList } from '../domain/application-list.ts';
import type { AccountStore } from '../ports/account-store.ts';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';
import { catalogued, testConnector } from '../testing/connectors.ts';
import { createCatalogue } from './catalogue.ts';

/** The read methods of a store, in memory; counts reads of whole lists. */
class MemoryStore implements Pick<AccountStore, 'revision' | 'list'> {
  readonly accounts = new Map<string, { revision: number; connectors: readonly Connector[] }>();
  loads: string[] = [];
  /** Applications that the last load reused. */
  known: readonly string[] = [];

  change(accountId: string, ...connectors: readonly Connector[]): void {
    const revision = (this.accounts.get(accountId)?.revision ?? 0) + 1;
    this.accounts.set(accountId, { revision, connectors });
  }

  revision: AccountStore['revision'] = (_ctx, accountId) =>
    Promise.resolve(this.accounts.get(accountId)?.revision ?? 0);

  list: AccountStore['list'] = (_ctx, accountId, known) => {
    this.loads.push(accountId);
    this.known = known.map(({ contentHash }) => contentHash);
    const connectors = this.accounts.get(accountId)?.connectors ?? [];
    return Promise.resolve(
      connectors.map((connector) => ({
        application: catalogued(connector),
        contentHash: connector.slug,
        sizeBytes: 100,
      })),
    );
  };
}

const platform = createApplicationList([catalogued(testConnector('crm'))], createLexicalIndex);

/** Lists the catalogue over this store, as an account sees it. */
function slugsOver(store: MemoryStore, maxBytes: number) {
  const catalogue = createCatalogue({ platform, store, createIndex: createLexicalIndex, maxBytes });
  return async (accountId: string): Promise<readonly string[]> => {
    const view = await catalogue.view(testContext({ accountId }));
    return view.applications().map(({ connector }) => connector.slug);
  };
}

describe('the catalogue', () => {
  it('shows only the platform, without loading, to an account that never had an application', async () => {
    const store = new MemoryStore();
    expect(await slugsOver(store, 1000)('a')).toEqual(['crm']);
    expect(store.loads).toEqual([]);
  });

  it('loads an account’s applications once, and again after a change made anywhere', async () => {
    const store = new MemoryStore();
    const slugsOf = slugsOver(store, 1000);
    store.change('a', testConnector('one'));
    await slugsOf('a');
    expect(await slugsOf('a')).toEqual(['crm', 'one']);
    expect(store.loads).toEqual(['a']);
    store.change('a', testConnector('two'));
    expect(await slugsOf('a')).toEqual(['crm', 'two']);
    expect(store.loads).toEqual(['a', 'a']);
    expect(store.known).toEqual(['one']);
  });

  it('reads the tools of an application only for what is about tools', async () => {
    const store = new MemoryStore();
    const unread = {
      ...testConnector('one'),
      get tools(): never {
        throw new Error('They were read.');
      },
    };
    const application = { ...catalogued(testConnector('one')), connector: unread };
    store.list = () => Promise.resolve([{ application, contentHash: 'h', sizeBytes: 1 }]);
    store.change('a', testConnector('one'));
    const catalogue = createCatalogue({ platform, store, createIndex: createLexicalIndex, maxBytes: 1000 });
    const view = await catalogue.view(testContext({ accountId: 'a' }));
    expect(view.applications().includes(application)).toBe(true);
    expect(view.findApplication('one') === application).toBe(true);
    expect(view.tools('crm').map(({ tool }) => tool.toolSlug)).toEqual(
      testConnector('crm').tools.map(({ toolSlug }) => toolSlug),
    );
    for (const read of [() => view.tools('one'), () => view.tools(undefined), () => view.findTools('x')])
      expect(read).toThrow('They were read.');
  });

  it('evicts the least recently used list when it holds too much', async () => {
    const store = new MemoryStore();
    const slugsOf = slugsOver(store, 250);
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

  it('serves an account that is larger than the cache', async () => {
    const store = new MemoryStore();
    store.change('a', testConnector('one'), testConnector('two'));
    expect(await slugsOver(store, 10)('a')).toEqual(['crm', 'one', 'two']);
  });

  it('shows only the platform to a service that calls without a user', async () => {
    const store = new MemoryStore();
    store.change('a', testConnector('one'));
    const catalogue = createCatalogue({ platform, store, createIndex: createLexicalIndex, maxBytes: 1000 });
    const view = await catalogue.view(testContext({ caller: { kind: 'service', service: 'connections' } }));
    expect(view.applications().map(({ connector }) => connector.slug)).toEqual(['crm']);
    expect(store.loads).toEqual([]);
  });
});
