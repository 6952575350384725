import { MAX_CONNECTOR_BYTES } from '@fairlead/connector-model/limits';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/egress/egress';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type {
  CallOptions,
  Credential,
  CredentialCheck,
  Preview,
  ToolCall,
  ToolOutcome,
  VendorCall,
} from './call.ts';
import { reportFailure } from './call-failure-text.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { HandlerCall, HandlerRegistry, LazyObject } from './handler.ts';
import { discoverOptions, probe } from './http/probe.ts';
import type { RequestOwner } from './http/request.ts';
import { callPassthrough } from './http/passthrough.ts';
import { createSender } from './http/send.ts';
import type { Sender } from './http/send.ts';
import { callHttpTool } from './http/tool.ts';
import { withMissingScopes } from './missing-scopes.ts';
import type { CallingClient } from './mcp/calling-client.ts';
import { McpDiscoveryError, parseDiscovery } from './mcp/discover-tools.ts';
import type { McpDiscovery } from './mcp/discover-tools.ts';
import type { McpRequest } from './mcp/mcp-request.ts';
import { CallFailure, OverloadError } from './failure.ts';
import {
  MAX_MCP_OUTPUT_BYTES,
  MAX_OUTPUT_BYTES,
  requireOutputLimit,
  withinOutputLimit,
} from './output-limit.ts';
import { builtOutput, UnbuiltOutput } from './outputs/unbuilt-output.ts';
import { PACKAGES } from './packages/packages.ts';
import { previewCall } from './preview.ts';
import { triggerHandler } from './triggers/trigger-tool.ts';
import { callForTrigger } from './triggers/trigger-requests.ts';
import { sessionKeyOf, sessionKeyOfClient } from './sessions/session-key.ts';
import type { SessionKey } from './sessions/session-key.ts';

export { McpDiscoveryError, type McpDiscovery } from './mcp/discover-tools.ts';

/** Calls applications. Owns no data and keeps no state between calls, except the sessions in workers. */
export interface ConnectorRuntime {
  /** Runs a tool, or a trigger's call. Never rejects because of the vendor, the network or the inputs. */
  execute(call: VendorCall, options: CallOptions): Promise<ToolOutcome>;
  /** Returns the first request that `execute` would send. Sends nothing, and never throws for invalid inputs. */
  preview(call: ToolCall): Preview;
  /** Tests the credential at the vendor; a method without a test request passes. Never rejects, like `execute`. */
  testCredential(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<CredentialCheck>;
  /** Valid values of the method's dynamic fields, as field name → value → label. Throws CallFailure. */
  fieldOptions(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<Record<string, Record<string, string>>>;
  /** Reads an MCP server's tools. Throws McpDiscoveryError, and OverloadError if the server could not be called. */
  discoverMcpTools(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<McpDiscovery>;
}

/** The connector with the MCP handlers; they serve MCP tools of every application. */
const MCP = 'mcp';

/** Creates the runtime from a guarded egress and the connectors' handlers of this build. */
export function createConnectorRuntime({
  egress,
  handlers,
}: {
  readonly egress: Egress;
  readonly handlers: HandlerRegistry;
}): ConnectorRuntime {
  return {
    execute: async (call, options) => {
      const deadline = startDeadline(options);
      const { accountId, onLimited } = options;
      const isRetryable = call.tool.retryClass !== 'unsafe';
      const { connector } = call;
      const sender = createSender({ egress, accountId, deadline, isRetryable, connector, onLimited });
      try {
        const output = await run(call, options, deadline, sender);
        const attempts = sender.attempts();
        return successOf(output, attempts, options.maxOutputBytes);
      } catch (error) {
        if (error instanceof CallFailure && error.limitedForMs !== undefined) onLimited?.(error.limitedForMs);
        const report = reportFailure(error, { ...call, deadline });
        const tool = 'execution' in call.tool ? call.tool : {};
        return {
          isSuccess: false,
          ...report,
          ...withMissingScopes(report.errorMessage, error, tool, call.credential),
          attempts: sender.attempts(),
        };
      } finally {
        deadline.end();
      }
    },

    preview: previewCall,

    testCredential: async (connector, method, credential, options) => {
      const deadline = startDeadline(options);
      const owner = { connector, method, credential };
      try {
        await test(owner, options.accountId, deadline);
        return { isSuccess: true };
      } catch (error) {
        return { isSuccess: false, ...reportFailure(error, { ...owner, deadline }) };
      } finally {
        deadline.end();
      }
    },

    fieldOptions: async (connector, method, credential, options) => {
      const deadline = startDeadline(options);
      const owner = { connector, method, credential };
      const { accountId } = options;
      const sender = createSender({ egress, accountId, deadline, isRetryable: true, connector });
      const values: Record<string, Record<string, string>> = {};
      try {
        for (const field of method.fields) {
          if (field.dynamicOptions === null) continue;
          values[field.name] = await discoverOptions(owner, field.dynamicOptions, sender);
          withinOutputLimit(values);
        }
      } catch (error) {
        const { errorMessage, isUnauthorized } = reportFailure(error, { ...owner, deadline });
        throw new CallFailure(errorMessage, { isUnauthorized, cause: error });
      } finally {
        deadline.end();
      }
      return values;
    },

    discoverMcpTools: async (connector, method, credential, options) => {
      const deadline = startDeadline(options);
      const owner = { connector, method, credential };
      try {
        const call = { ...probeCall(owner), accountId: options.accountId, takesUnbuilt: true };
        const handler = { connectorSlug: MCP, name: 'discoverTools', maxOutputBytes: MAX_CONNECTOR_BYTES };
        return parseDiscovery(await callHandler(handler, call, deadline));
      } catch (error) {
        const report = reportFailure(error, { ...owner, deadline });
        const { errorMessage, isUnauthorized } = report;
        if (report.isOverloaded) throw new OverloadError(errorMessage, { cause: error });
        throw new McpDiscoveryError(errorMessage, { isUnauthorized, cause: error });
      } finally {
        deadline.end();
      }
    },
  };

  async function run(
    vendorCall: VendorCall,
    {
      accountId,
      connectionId,
      takesUnbuilt,
      beforeSend,
      client: caller,
      takesMcpResult,
      maxOutputBytes,
    }: CallOptions,
    deadline: Deadline,
    sender: Sender,
  ): Promise<JsonObject | UnbuiltOutput> {
    const client = caller && pausing(deadline, caller);
    const { tool, ...rest } = vendorCall;
    const sessionKey = (): SessionKey | undefined =>
      connectionId === undefined ? undefined : sessionKeyOf(connectionId, rest);
    if ('trigger' in tool) {
      const found = triggerHandler(rest.fields, tool.trigger);
      if (found === undefined) return callForTrigger(rest, tool.trigger, sender);
      const handler = { connectorSlug: rest.connector.slug, name: found.name };
      return callHandler(handler, { ...rest, accountId, fields: found.fields, sessionKey }, deadline);
    }
    if ('mcpRequest' in tool) {
      const { name, fields } = requestHandler(tool.mcpRequest);
      const handler = { connectorSlug: MCP, name, maxOutputBytes: MAX_MCP_OUTPUT_BYTES };
      const clientKey = (): SessionKey | undefined => sessionKeyFor(client, sessionKey());
      return callHandler(
        handler,
        { ...rest, accountId, fields, sessionKey: clientKey, takesUnbuilt, client },
        deadline,
      );
    }
    const call = { ...rest, tool };
    const { execution } = tool;
    switch (execution.type) {
      case 'http':
        return callHttpTool(call, execution, sender, takesUnbuilt);
      case 'passthrough':
        return callPassthrough(call, sender, takesUnbuilt);
      case 'handler':
        return callHandler(
          { connectorSlug: call.connector.slug, name: execution.handler, maxOutputBytes },
          { ...call, accountId, sessionKey, takesUnbuilt, beforeSend },
          deadline,
        );
      case 'package': {
        const { package: name, version, action } = execution;
        const fields = { package: name, version, action, props: new LazyJson(jsonBytes(call.fields)) };
        const handler = { connectorSlug: PACKAGES, name: 'callAction' };
        return callHandler(handler, { ...call, accountId, fields, beforeSend }, deadline);
      }
      case 'mcp': {
        const { toolName, isTask } = execution;
        const fields = {
          toolName,
          ...(isTask === true && { isTask }),
          inputSchema: tool.inputSchema,
          arguments: new LazyJson(jsonBytes(call.fields)),
          ...(takesMcpResult && { takesMcpResult }),
        };
        const handler = { connectorSlug: MCP, name: 'callTool', maxOutputBytes };
        const clientKey = (): SessionKey | undefined => sessionKeyFor(client, sessionKey());
        return callHandler(
          handler,
          { ...call, accountId, fields, sessionKey: clientKey, takesUnbuilt, beforeSend, client },
          deadline,
        );
      }
    }
  }

  async function test(owner: RequestOwner, accountId: string, deadline: Deadline): Promise<void> {
    const probeOf = owner.method.test;
    switch (probeOf?.type) {
      case undefined:
        return;
      case 'http':
        return probe(
          owner,
          probeOf.request,
          createSender({ egress, accountId, deadline, isRetryable: true, connector: owner.connector }),
        );
      case 'handler':
        await callHandler(
          { connectorSlug: owner.connector.slug, name: probeOf.handler },
          { ...probeCall(owner), accountId },
          deadline,
        );
        return;
      case 'mcp':
        await callHandler(
          { connectorSlug: MCP, name: 'openSession' },
          { ...probeCall(owner), accountId },
          deadline,
        );
        return;
    }
  }

  async function callHandler(
    {
      connectorSlug,
      name,
      maxOutputBytes = MAX_OUTPUT_BYTES,
    }: {
      readonly connectorSlug: string;
      readonly name: string;
      readonly maxOutputBytes?: number | undefined;
    },
    call: Omit<ToolCall, 'tool'> &
      Pick<HandlerCall, 'accountId' | 'takesUnbuilt' | 'beforeSend' | 'client'> & {
        readonly sessionKey?: () => SessionKey | undefined;
      },
    deadline: Deadline,
  ): Promise<JsonObject | UnbuiltOutput> {
    const handler = await handlers(connectorSlug, name);
    let sessionKey: SessionKey | undefined;
    return handler({
      accountId: call.accountId,
      connector: call.connector,
      method: call.method,
      credential: call.credential,
      fields: call.fields,
      filters: call.filters,
      sorts: call.sorts,
      top: call.top,
      offset: call.offset,
      egress,
      // Computed on demand: only handlers with sessions need it, and it hashes all settings of a session.
      get sessionKey() {
        return (sessionKey ??= call.sessionKey?.());
      },
      signal: deadline.signal,
      timeoutMs: deadline.remainingMs(),
      maxOutputBytes,
      takesUnbuilt: call.takesUnbuilt,
      beforeSend: call.beforeSend,
      client: call.client,
    });
  }
}

/** A client of the call that stops the call's clock while it answers. */
function pausing(deadline: Deadline, client: CallingClient): CallingClient {
  return {
    ...client,
    request: (method, params, withdrawn) =>
      deadline.pauseFor(() => client.request(method, params, withdrawn)),
  };
}

function sessionKeyFor(client: CallOptions['client'], key: SessionKey | undefined): SessionKey | undefined {
  return client === undefined || key === undefined ? key : sessionKeyOfClient(key, client);
}

/** The handler for a request to an MCP server. */
function requestHandler(request: McpRequest): { readonly name: string; readonly fields: LazyObject } {
  if (request.type === 'lists') return { name: 'readLists', fields: {} };
  const { method, params } = request;
  return { name: 'callMethod', fields: { method, params } };
}

/** Throws CallFailure above the limit. For an unparsed output, parsing throws it. */
function successOf(
  output: JsonObject | UnbuiltOutput,
  attempts: number,
  maxBytes = MAX_OUTPUT_BYTES,
): ToolOutcome {
  if (output instanceof UnbuiltOutput)
    return unbuiltSuccess(maxBytes === MAX_OUTPUT_BYTES ? output : output.within(maxBytes), attempts);
  const mostBytes = requireOutputLimit(output, maxBytes);
  if (mostBytes > MAX_OUTPUT_BYTES) {
    const bytes = Buffer.from(JSON.stringify(output));
    if (bytes.length > MAX_OUTPUT_BYTES)
      return unbuiltSuccess(new UnbuiltOutput({ kind: 'output', maxBytes }, bytes), attempts);
  }
  return { isSuccess: true, output, attempts };
}

function unbuiltSuccess(unbuilt: UnbuiltOutput, attempts: number): ToolOutcome {
  return {
    isSuccess: true,
    unbuilt,
    get output() {
      return builtOutput(unbuilt);
    },
    attempts,
  };
}

/** A call without inputs, for testing a credential. */
function probeCall(owner: RequestOwner): Omit<ToolCall, 'tool'> {
  return { ...owner, fields: {}, filters: [], sorts: [] };
}
