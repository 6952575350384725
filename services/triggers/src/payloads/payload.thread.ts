import { serveThread } from '@fairlead/service-kit/threads/serve-thread';
import { hookPayload } from '../domain/hook-call.ts';
import type { HookCall } from '../domain/hook-call.ts';

serveThread((call) => {
  // createPayloads sends this type.
  const answer = hookPayload(call as HookCall);
  return { answer, handedOver: [answer] };
});
