import type { JsonObject } from '@fairlead/connector-model/json';
import type {
  AuthenticationMethod,
  AuthenticationScheme,
  ConnectorHead,
  FieldDescriptor,
  HttpRequestTemplate,
  ToolDefinition,
  ToolExecution,
} from '@fairlead/connector-model/model';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import type { Egress } from '@fairlead/egress/egress';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { CallOptions, Credential, ToolCall } from '../call.ts';
import type { McpDiscovery } from '../runtime.ts';

/** An egress that also reaches loopback, where test servers listen, unless `parts` differ. */
export function testEgress(parts: Partial<Parameters<typeof createGuardedEgress>[0]> = {}): Egress {
  return createGuardedEgress({
    allow: ['127.0.0.0/8'],
    userAgent: 'fairlead-test',
    log: createLogger({ service: 'test', level: 'silent' }),
    ...parts,
  });
}

/** A connector without tools, with `parts` replaced. */
export function testConnector(parts: Partial<ConnectorHead> = {}): ConnectorHead {
  return {
    slug: 'acme',
    name: 'Acme',
    description: 'A vendor.',
    categories: [],
    kind: 'Regular',
    logoUrl: null,
    isMcpEnabled: true,
    supportsObjectSelection: false,
    maturity: 'verified',
    version: '1.0.0',
    settings: [],
    baseUrl: null,
    authenticationMethods: [],
    headers: {},
    errorMessagePointers: [],
    rateLimit: null,
    agentSettings: null,
    ...parts,
  };
}

/** A method with the given scheme; fields named in `secretFields` are secret. */
export function testMethod(
  scheme: AuthenticationScheme = { type: 'none' },
  parts: Partial<AuthenticationMethod> = {},
): AuthenticationMethod {
  return {
    authenticationId: 0,
    authenticationName: 'Test',
    isDefault: true,
    fields: [],
    scheme,
    test: null,
    baseUrl: null,
    translations: {},
    ...parts,
  };
}

/** An optional text field of a connection. */
export function testField(name: string, parts: Partial<FieldDescriptor> = {}): FieldDescriptor {
  return {
    name,
    label: name,
    description: '',
    type: 'string',
    isRequired: false,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: [],
    providerSlot: null,
    dynamicOptions: null,
    atSignIn: false,
    capturedFrom: null,
    pattern: null,
    allowedHosts: [],
    help: null,
    helpUrl: null,
    translations: {},
    ...parts,
  };
}

/** A credential with these fields; every string of `secrets` counts as secret. */
export function testCredential(
  fields: JsonObject = {},
  parts: Partial<Omit<Credential, 'fields'>> = {},
): Credential {
  return { version: 1, fields, secrets: [], ...parts };
}

/** An HTTP GET of `url`, with `parts` replaced. */
export function testRequest(url: string, parts: Partial<HttpRequestTemplate> = {}): HttpRequestTemplate {
  return { method: 'GET', url, query: {}, headers: {}, body: null, ...parts };
}

/** A readOnly tool with the given execution, without filters, sorts and paging. */
export function testTool(execution: ToolExecution, parts: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    toolSlug: 'acme-do',
    toolName: 'Do',
    description: '',
    category: '',
    version: '1.0.0',
    aliases: [],
    isDeprecated: false,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    retryClass: 'readOnly',
    isDestructive: false,
    filters: null,
    sorts: null,
    paging: null,
    execution,
    ...parts,
  };
}

/** A tool call without inputs and credential, with `parts` replaced. */
export function testCall(tool: ToolDefinition, parts: Partial<ToolCall> = {}): ToolCall {
  return {
    connector: testConnector(),
    method: testMethod(),
    tool,
    credential: testCredential(),
    fields: {},
    filters: [],
    sorts: [],
    ...parts,
  };
}

/** A time limit of a minute, long enough for a busy machine, and a signal that never aborts. */
export function testOptions(parts: Partial<CallOptions> = {}): CallOptions {
  return { accountId: 'test-account', signal: new AbortController().signal, timeoutMs: 60_000, ...parts };
}

export function toolsIn({ toolsJson }: McpDiscovery): readonly ToolDefinition[] {
  // The worker wrote this JSON.
  return JSON.parse(Buffer.from(toolsJson).toString()) as readonly ToolDefinition[];
}
