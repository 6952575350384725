import { UpstreamService } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import type {
  CallMethodResponse,
  UpstreamFailure as FailureMessage,
} from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { UpstreamChanges, UpstreamFailure, UpstreamRequests } from '../ports/upstreams.ts';
import { isForClient, resultOfCall, toMcpClient } from './call-messages.ts';

/** Interval at which a subscription is renewed. */
const LISTEN_MS = 60 * 60_000;

/** Client of the tools service's requests to MCP servers. */
export function createUpstreamsClient(o: RpcClientOptions): UpstreamRequests & UpstreamChanges {
  const upstreams = createRpcClient(UpstreamService, o);
  return {
    async readLists(ctx, connectionId) {
      const { outcome } = await upstreams.readLists(ctx, { connectionId });
      if (outcome.case !== 'lists') return failureOf(outcome.value);
      const { promptsJson, resourcesJson, resourceTemplatesJson, ...abilities } = outcome.value;
      const { hasPrompts, hasResources, hasCompletions, hasSubscriptions } = abilities;
      return {
        kind: 'lists',
        lists: {
          prompts: promptsJson,
          resources: resourcesJson,
          templates: resourceTemplatesJson,
          hasPrompts,
          hasResources,
          hasCompletions,
          hasSubscriptions,
        },
      };
    },
    async callMethod(ctx, connectionId, method, { bytes: paramsJson }, channel) {
      const call = { connectionId, method, paramsJson };
      const interactive = { call, client: toMcpClient(channel.client) };
      const { outcome } = isForClient(channel)
        ? await resultOfCall<CallMethodResponse>(upstreams.callMethodInteractively(ctx, interactive), channel)
        : await upstreams.callMethod(ctx, call);
      switch (outcome.case) {
        case 'resultJson':
          return { kind: 'result', result: outcome.value };
        case 'error': {
          const { code, message, dataJson } = outcome.value;
          const data = dataJson.length === 0 ? undefined : new LazyJson(dataJson, 'data');
          return { kind: 'error', code, message, data };
        }
        default:
          return failureOf(outcome.value);
      }
    },
    async *listen(ctx, connectionId, uris) {
      const request = { connectionId, uris: [...uris] };
      for await (const change of upstreams.listen(ctx, request, { timeoutMs: LISTEN_MS }))
        yield { uris: change.updatedUris, haveListsChanged: change.haveListsChanged };
    },
  };
}

function failureOf(failure: FailureMessage | undefined): UpstreamFailure {
  const { message = 'The MCP server has not answered.', isUnauthorized = false } = failure ?? {};
  return { kind: 'failure', message, isUnauthorized };
}
