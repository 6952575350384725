import { DetachedCallChangedSchema } from '@fairlead/contracts/tools/v1/detached_call_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';

const callChanged = defineEvent(DetachedCallChangedSchema);

/** Calls `onChange` with the SHA-256 (base64url) of the id of each task that has changed. Messages may be lost. */
export function subscribeToCallChanges(
  nats: Pick<Nats, 'subscribe'>,
  onChange: (callHash: string) => void,
): void {
  nats.subscribe(callChanged, ({ callHash }) => onChange(callHash));
}
