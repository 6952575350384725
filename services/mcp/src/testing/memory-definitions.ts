import type { ServedDefinitions, ServerName, StoredDefinition } from '../ports/served-definitions.ts';
import { slugKey } from '../domain/changed-tools.ts';

/** Stored definitions, in memory. */
export function memoryDefinitions(): ServedDefinitions {
  const all = new Map<string, StoredDefinition & ServerName>();
  const keyOf = ({ accountId, serverId }: ServerName, tool: Parameters<typeof slugKey>[0]): string =>
    `${accountId} ${serverId} ${slugKey(tool)}`;
  return {
    list: (_ctx, { accountId, serverId }) =>
      Promise.resolve(
        [...all.values()]
          .filter((it) => it.accountId === accountId && it.serverId === serverId)
          .map(({ accountId: _account, serverId: _server, ...stored }) => stored),
      ),
    save(_ctx, of, { added, changed, restored }) {
      for (const it of added) {
        const id = keyOf(of, it);
        if (!all.has(id)) all.set(id, { id, ...of, ...it });
      }
      for (const { changed: change, ...tool } of changed) {
        const former = all.get(keyOf(of, tool));
        if (former !== undefined) all.set(former.id, { ...former, changed: change });
      }
      for (const tool of restored) {
        const { changed: _change, ...former } = all.get(keyOf(of, tool)) ?? {};
        if ('id' in former) all.set(former.id, former);
      }
      return Promise.resolve();
    },
    accept(_ctx, of, tools) {
      for (const { changed, ...tool } of tools) {
        const { changed: known, ...former } = all.get(keyOf(of, tool)) ?? {};
        const { at, ...definition } = changed;
        const isKnown = known?.fingerprint === changed.fingerprint && known.at.getTime() === at.getTime();
        if ('id' in former && isKnown) all.set(former.id, { ...former, definition });
      }
      return Promise.resolve();
    },
    remove(_ctx, { accountId, serverId }, ids) {
      for (const it of all.values()) {
        const isOf = it.accountId === accountId && it.serverId === serverId;
        if (isOf && (ids?.includes(it.id) ?? true)) all.delete(it.id);
      }
      return Promise.resolve();
    },
  };
}
