import type { AuthenticationMethod, ConnectorHead, JsonObject } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/service-kit/egress/egress';
import type { CallOptions, Credential, CredentialCheck, Preview, ToolCall, ToolOutcome } from './call.ts';
import { reportFailure } from './call-failure-text.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { HandlerRegistry } from './handler.ts';
import { discoverOptions, probe } from './http/probe.ts';
import type { RequestOwner } from './http/request.ts';
import { createSender } from './http/send.ts';
import type { Sender } from './http/send.ts';
import { callHttpTool } from './http/tool.ts';
import { callMcpTool } from './mcp/call-tool.ts';
import { discoverTools, McpDiscoveryError } from './mcp/discover-tools.ts';
import type { McpDiscovery } from './mcp/discover-tools.ts';
import { withMcpSession } from './mcp/session.ts';
import { CallFailure } from './failure.ts';
import { withinOutputLimit } from './output-limit.ts';
import { previewCall } from './preview.ts';

export { McpDiscoveryError, type McpDiscovery } from './mcp/discover-tools.ts';

/** Everything needed to call an application. Owns no data and keeps no state between calls. */
export interface ConnectorRuntime {
  /** Runs one tool. Never rejects because of the vendor, the network or the inputs. */
  execute(call: ToolCall, options: CallOptions): Promise<ToolOutcome>;
  /** Returns what `execute` would send first. Sends nothing and never throws for bad inputs. */
  preview(call: ToolCall): Preview;
  /** Asks the vendor whether the credential works; a method without a probe passes. Never rejects, as execute. */
  testCredential(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<CredentialCheck>;
  /** Valid values of the method's dynamic fields: field name → value → label. Throws CallFailure. */
  fieldOptions(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<Record<string, Record<string, string>>>;
  /** Reads an MCP server's tools. Throws McpDiscoveryError. */
  discoverMcpTools(
    connector: ConnectorHead,
    method: AuthenticationMethod,
    credential: Credential,
    options: CallOptions,
  ): Promise<McpDiscovery>;
}

/** The runtime over one guarded egress and the handlers of the connectors in this build. */
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
      const { accountId } = options;
      const isRetryable = call.tool.retryClass !== 'unsafe';
      const sender = createSender({ egress, accountId, deadline, isRetryable });
      try {
        const output = withinOutputLimit(await run(call, accountId, deadline, sender));
        return { isSuccess: true, output, attempts: sender.attempts() };
      } catch (error) {
        return {
          isSuccess: false,
          ...reportFailure(error, { ...call, deadline }),
          attempts: sender.attempts(),
        };
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
      }
    },

    fieldOptions: async (connector, method, credential, options) => {
      const deadline = startDeadline(options);
      const owner = { connector, method, credential };
      const { accountId } = options;
      const sender = createSender({ egress, accountId, deadline, isRetryable: true });
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
      }
      return values;
    },

    discoverMcpTools: async (connector, method, credential, options) => {
      const deadline = startDeadline(options);
      const owner = { connector, method, credential };
      try {
        const { accountId } = options;
        return await withMcpSession(owner, { egress, accountId, deadline }, discoverTools);
      } catch (error) {
        const { errorMessage, isUnauthorized } = reportFailure(error, { ...owner, deadline });
        throw new McpDiscoveryError(errorMessage, { isUnauthorized, cause: error });
      }
    },
  };

  async function run(
    call: ToolCall,
    accountId: string,
    deadline: Deadline,
    sender: Sender,
  ): Promise<JsonObject> {
    const { execution } = call.tool;
    switch (execution.type) {
      case 'http':
        return callHttpTool(call, execution, sender);
      case 'handler':
        return callHandler(execution.handler, { ...call, accountId }, deadline);
      case 'mcp':
        return withMcpSession(call, { egress, accountId, deadline }, (session) =>
          callMcpTool(session, execution.toolName, call.tool.inputSchema, call.fields),
        );
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
          createSender({ egress, accountId, deadline, isRetryable: true }),
        );
      case 'handler':
        await callHandler(
          probeOf.handler,
          { ...owner, accountId, fields: {}, filters: [], sorts: [] },
          deadline,
        );
        return;
      case 'mcp':
        // A successful handshake proves the credential.
        return withMcpSession(owner, { egress, accountId, deadline }, async () => undefined);
    }
  }

  async function callHandler(
    name: string,
    call: Omit<ToolCall, 'tool'> & Pick<CallOptions, 'accountId'>,
    deadline: Deadline,
  ): Promise<JsonObject> {
    const handler = await handlers(call.connector.slug, name);
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
      signal: deadline.signal,
      timeoutMs: deadline.remainingMs(),
    });
  }
}
