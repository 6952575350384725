import type { JsonObject } from '@fairlead/connector-model/json';
import { TASK_NOTIFICATION } from '@fairlead/connector-runtime/mcp/upstream-task';
import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { userIdOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callerIdOf } from '../domain/caller-id.ts';
import { isClientNotification, isClientRequest } from '../domain/call-message.ts';
import type { ClientRequests } from '../ports/client-requests.ts';
import type { CallControl } from '../ports/running-calls.ts';

/** The client of a call that may outlive its request: until answered, requests to the client are stored with the call. */
export function callingClient(
  ctx: RequestContext,
  description: ClientDescription,
  o: {
    readonly control: CallControl;
    readonly clientRequests: Pick<ClientRequests, 'open'>;
    /** Gets notifications for the client. */
    readonly notify: (method: string, params: JsonObject) => void;
  },
): CallingClient {
  return {
    ...description,
    principal: userIdOf(ctx) ?? undefined,
    notify(method, params) {
      if (method === TASK_NOTIFICATION) o.control.hurry();
      if (isClientNotification(method)) o.notify(method, params);
    },
    async request(method, params, withdrawn) {
      if (!isClientRequest(method)) throw new Error('The client takes no such request.');
      const signal = withdrawn === undefined ? ctx.signal : AbortSignal.any([ctx.signal, withdrawn]);
      const { key, answer } = o.clientRequests.open(callerIdOf(ctx), signal);
      return await o.control.ask({ key, method, params: JSON.stringify(params) }, answer);
    },
  };
}
