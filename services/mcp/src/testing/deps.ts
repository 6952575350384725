import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { ChangeServers } from '../ports/server-changes.ts';
import type { CheckReferencesDeps } from '../use-cases/servers/check-references.ts';

/** A minute after the creation of the servers in servers.ts. */
export const LATER = new Date('2026-11-28T12:01:00.000Z');

/** Connections 7 (application `crm`, tools `list` and `send`, alias `post`) and 8, the workflow `wf` and the toolset `ts`. */
export function references(): CheckReferencesDeps & { readonly clock: ManualClock } {
  const connections = [
    { id: 7, applicationSlug: 'crm', isForUsers: true },
    { id: 8, applicationSlug: 'mcp-8', isForUsers: false },
  ];
  const tools = [
    { applicationSlug: 'crm', toolSlug: 'list', aliases: [], identities: [] },
    { applicationSlug: 'crm', toolSlug: 'send', aliases: ['post'], identities: ['slug send', 'slug post'] },
  ];
  return {
    connections: {
      findConnections: (_ctx, ids) => Promise.resolve(connections.filter(({ id }) => ids.includes(id))),
    },
    catalog: {
      findTools: (_ctx, names) =>
        Promise.resolve(
          tools.filter(({ applicationSlug, toolSlug, aliases }) =>
            names.some(
              (name) =>
                name.applicationSlug === applicationSlug && [toolSlug, ...aliases].includes(name.toolSlug),
            ),
          ),
        ),
      refuseUnknown: (_ctx, { toolSlug }) => Promise.reject(notFound(`tool ${toolSlug}`)),
    },
    tools: {
      findWorkflows: (_ctx, tokens) => Promise.resolve(tokens.filter((token) => token === 'wf')),
      requireToolset: (_ctx, id) => (id === 'ts' ? Promise.resolve() : Promise.reject(notFound('toolset'))),
    },
    clock: new ManualClock(LATER),
  };
}

/** A fake that records changed servers instead of publishing; '': any of the account. */
export function announced(): { readonly changeServers: ChangeServers; readonly of: readonly string[] } {
  const of: string[] = [];
  return {
    of,
    changeServers({ accountId, serverId = '' }, write) {
      of.push(`${accountId} ${serverId}`);
      return write();
    },
  };
}
