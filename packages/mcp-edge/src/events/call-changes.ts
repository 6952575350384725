import { DetachedCallChangedSchema } from '@fairlead/contracts/tools/v1/detached_call_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';

const callChanged = defineEvent(DetachedCallChangedSchema);

/** Calls `onChange` when a task has changed, with the SHA-256 (base64url) of its id. Messages may be lost. */
export function subscribeToCallChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: (callHash: string) => void,
): void {
  nats.subscribe(callChanged, ({ callHash }) => onChange(callHash));
}
