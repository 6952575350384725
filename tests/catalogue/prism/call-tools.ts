import type { JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, Connector, ToolDefinition } from '@fairlead/connector-model/model';
import type { Credential } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import type { Egress, EgressRequest } from '@fairlead/egress/egress';
import { z } from 'zod';
import { generateInputs, textOfPattern, VARIANTS } from './generate-inputs.ts';
import type { OperationPlace } from './prune-openapi.ts';

/** A tool and the operation from which it was created. */
export interface ImportedTool {
  readonly tool: ToolDefinition;
  readonly place: OperationPlace;
}

/** The outcome of all calls of an application. */
export interface CallReport {
  readonly calls: number;
  readonly violations: readonly string[];
}

const TIMEOUT_MS = 60_000;

/** Calls every tool with generated inputs; each call's first request goes to the validator instead of the vendor. */
export async function callTools(
  connector: Connector,
  tools: readonly ImportedTool[],
  validatorUrl: string,
): Promise<CallReport> {
  const violations = new Set<string>();
  const method = connector.authenticationMethods.find(({ isDefault }) => isDefault);
  if (method === undefined) throw new Error(`${connector.slug} has no default method`);
  let calls = 0;
  for (const { tool, place } of tools)
    for (const variant of VARIANTS) {
      const fields = generateInputs(tool.inputSchema, variant);
      const requests: EgressRequest[] = [];
      const runtime = createConnectorRuntime({
        egress: recordingEgress(requests),
        handlers: () => Promise.reject(new Error('An imported tool has no handler.')),
      });
      const outcome = await runtime.execute(
        {
          connector,
          method,
          tool,
          credential: credentialOf(method),
          // An input schema always has an object at its root.
          fields: fields as JsonObject,
          filters: [],
          sorts: [],
        },
        { accountId: 'catalogue', signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS },
      );
      calls += 1;
      const [request] = requests;
      const found =
        request === undefined
          ? [`sent nothing: ${outcome.isSuccess ? '' : outcome.errorMessage}`]
          : await validate(request, place, validatorUrl);
      for (const violation of found) violations.add(`${tool.toolSlug} (${variant}): ${violation}`);
    }
  return { calls, violations: [...violations] };
}

/** Records each request, and answers it with an empty object. */
function recordingEgress(requests: EgressRequest[]): Egress {
  const refuse = (): never => {
    throw new Error('A tool of the catalogue sends requests only.');
  };
  return {
    request(request) {
      requests.push(request);
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve({
        status: 200,
        headers,
        body: Buffer.from('{}'),
        isTruncated: false,
        url: request.url,
      });
    },
    createFetch: refuse,
    openSocket: refuse,
    close: () => Promise.resolve(),
  };
}

async function validate(
  request: EgressRequest,
  { method, path }: OperationPlace,
  validatorUrl: string,
): Promise<readonly string[]> {
  const url = new URL(request.url);
  const template = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^{}]+\}/g, '[^/]+');
  const [matched] = new RegExp(`${template}$`).exec(url.pathname) ?? [];
  if (matched === undefined) return [`the path ${url.pathname} is not ${path}`];
  if (request.method !== method) return [`the method is ${request.method}, not ${method}`];
  const response = await fetch(`${validatorUrl}${matched}${url.search}`, {
    method,
    headers: { ...request.headers },
    ...(request.body !== undefined && { body: request.body }),
  });
  const text = await response.text();
  const stated = response.headers.get('sl-violations');
  if (stated !== null) return [stated];
  return response.ok ? [] : problemsOf(text);
}

const problemSchema = z.object({
  title: z.string(),
  detail: z.string().optional(),
  validation: z.array(z.object({ message: z.string() })).optional(),
});

/** The messages in a problem document of Prism. */
function problemsOf(text: string): readonly string[] {
  const { title, detail, validation = [] } = problemSchema.parse(JSON.parse(text));
  const messages = validation.map(({ message }) => message);
  if (messages.length === 0) return [`${title}: ${detail ?? ''}`];
  // No alternative matches: all their messages form one violation.
  const hasAlternatives = messages.some((message) => /\b(?:oneOf|anyOf)\b/.test(message));
  return hasAlternatives ? [messages.join('; ')] : messages;
}

function credentialOf({ fields }: AuthenticationMethod): Credential {
  return {
    version: 1,
    fields: Object.fromEntries(
      fields.map(({ name, pattern, options, allowedHosts }) => {
        const [host] = allowedHosts;
        const fallback = pattern === null ? 'value' : textOfPattern(pattern, 'all');
        return [
          name,
          options[0]?.value ??
            (host === undefined ? fallback : `https://value${host === '*' ? '.example.com' : host}`),
        ];
      }),
    ),
    accessToken: 'access-token',
    secrets: [],
  };
}
