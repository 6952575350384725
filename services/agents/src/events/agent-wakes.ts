import { AgentTasksChangedSchema } from '@fairlead/contracts/agents/v1/task_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { AgentWakes } from '../ports/agent-wakes.ts';

const tasksChanged = defineEvent(AgentTasksChangedSchema);

/** How often waiters check without a wake-up: rarely while NATS is connected. */
const LOOK_MS = 5_000;
const LOOK_WITHOUT_NATS_MS = 1_000;

/** Wakes waiters in this process directly, and waiters in all others over NATS. */
export function createAgentWakes({
  nats,
  log,
}: {
  readonly nats: Pick<Nats, 'publish' | 'subscribe' | 'isLive'>;
  readonly log: Logger;
}): AgentWakes {
  const listeners = new Map<string, Set<() => void>>();
  const wakeHere = (agentKey: string): void => {
    for (const listener of listeners.get(agentKey) ?? []) listener();
  };
  nats.subscribe(tasksChanged, ({ agentKey }) => wakeHere(agentKey));
  return {
    lookAgainMs: () => (nats.isLive() ? LOOK_MS : LOOK_WITHOUT_NATS_MS),
    wake(agentKey) {
      wakeHere(agentKey);
      nats.publish(tasksChanged, { agentKey }).catch((error: unknown) => {
        log.debug({ err: error, agentKey }, 'could not wake the other replicas');
      });
    },
    onWake(agentKey, listener) {
      const ofAgent = listeners.get(agentKey) ?? new Set();
      listeners.set(agentKey, ofAgent.add(listener));
      return () => {
        ofAgent.delete(listener);
        if (ofAgent.size === 0 && listeners.get(agentKey) === ofAgent) listeners.delete(agentKey);
      };
    },
  };
}
