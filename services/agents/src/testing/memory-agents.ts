import type { Agent, AgentWithToken } from '../domain/agent.ts';
import type { AgentStore } from '../ports/agent-store.ts';

interface AgentEntry {
  readonly accountId: string;
  readonly state: 'creating' | 'ready' | 'removing';
  readonly agent: AgentWithToken;
  readonly pollReplica: string | null;
}

/** Agents in memory; `stored` has agents in any state. */
export function memoryAgents(): Omit<AgentStore, 'list'> & {
  readonly stored: ReadonlyMap<string, AgentEntry>;
  /** Records a poll of the agent at that time. */
  see(id: number, at: Date, pollReplica?: string): void;
} {
  const stored = new Map<string, AgentEntry>();
  const ready = (accountId: string, id: number): AgentEntry | undefined =>
    [...stored.values()].find(
      (it) => it.state === 'ready' && it.accountId === accountId && it.agent.id === id,
    );
  const withoutToken = ({ token: _token, ...agent }: AgentWithToken): Agent => agent;
  const change = (found: AgentEntry, agent: Partial<AgentWithToken>): boolean => {
    stored.set(found.agent.creationId, { ...found, agent: { ...found.agent, ...agent } });
    return true;
  };
  return {
    stored,
    see(id, lastSeenAt, pollReplica) {
      for (const found of stored.values())
        if (found.agent.id === id) change({ ...found, pollReplica: pollReplica ?? null }, { lastSeenAt });
    },
    beginCreation(_ctx, accountId, agent) {
      stored.set(agent.creationId, {
        accountId,
        state: 'creating',
        agent: { ...agent, id: 0 },
        pollReplica: null,
      });
      return Promise.resolve();
    },
    completeCreation(_ctx, accountId, creationId, id) {
      const found = stored.get(creationId);
      if (found?.state !== 'creating' || found.accountId !== accountId) return Promise.resolve(undefined);
      const agent = { ...found.agent, id };
      stored.set(creationId, { ...found, state: 'ready', agent });
      return Promise.resolve(withoutToken(agent));
    },
    beginRemoval(_ctx, accountId, by) {
      const found = 'id' in by ? ready(accountId, by.id) : stored.get(by.creationId);
      if (found === undefined || found.accountId !== accountId) return Promise.resolve(undefined);
      const { creationId } = found.agent;
      stored.set(creationId, { ...found, state: 'removing' });
      return Promise.resolve({ creationId });
    },
    remove(_ctx, _accountId, creationId) {
      if (stored.get(creationId)?.state === 'removing') stored.delete(creationId);
      return Promise.resolve();
    },
    find(_ctx, accountId, id) {
      const found = ready(accountId, id);
      return Promise.resolve(found && { ...withoutToken(found.agent), pollReplica: found.pollReplica });
    },
    findToken: (_ctx, accountId, id) => Promise.resolve(ready(accountId, id)?.agent.token),
    saveSettings(_ctx, accountId, { id, settings: former }, settings, updatedAt) {
      const found = ready(accountId, id);
      const isSame = JSON.stringify(found?.agent.settings) === JSON.stringify(former);
      return Promise.resolve(found !== undefined && isSame && change(found, { settings, updatedAt }));
    },
    rotate(_ctx, accountId, id, token, updatedAt) {
      const found = ready(accountId, id);
      if (found === undefined) return Promise.resolve(undefined);
      change(found, { token, hasLeft: true, updatedAt });
      return Promise.resolve({ creationId: found.agent.creationId });
    },
  };
}
