import { registry } from '@fairlead/service-kit/telemetry/service-metrics';

/** The open polls of this replica. */
export interface OpenPolls {
  /**
   * Runs a poll. Its signal aborts when the client has gone, when a newer poll with the same token begins here, or when the replica stops.
   */
  run<T>(tokenHash: string, gone: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends all polls, including those that begin later. */
  drain(): void;
}

const counts = new Set<() => number>();
registry.observed({
  name: 'agent_polls_open',
  help: 'Polls of on-prem agents that are open in this replica.',
  read: () => [...counts].reduce((sum, count) => sum + count(), 0),
});

/** Keeps one open poll per token. An earlier one is ended: its client has gone. */
export function createOpenPolls(): OpenPolls {
  const stopping = new AbortController();
  const open = new Map<string, AbortController>();
  const count = (): number => open.size;
  counts.add(count);
  return {
    async run(tokenHash, gone, work) {
      const newer = new AbortController();
      open.get(tokenHash)?.abort();
      open.set(tokenHash, newer);
      try {
        return await work(AbortSignal.any([gone, newer.signal, stopping.signal]));
      } finally {
        if (open.get(tokenHash) === newer) open.delete(tokenHash);
      }
    },
    drain() {
      stopping.abort();
      counts.delete(count);
    },
  };
}
