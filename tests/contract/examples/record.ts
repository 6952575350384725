import { hostname } from 'node:os';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PUBLIC_URL } from '@fairlead-services/gateway/openapi/recorded-examples';
import type { OperationExample } from '@fairlead/rest-kit/openapi/examples';
import { runPlan } from './plan.ts';
import { PlanRun } from './plan-run.ts';
import type { Surroundings } from './plan-run.ts';
import { Stable } from './stable.ts';

/** The examples of a run, with stable values. */
export interface RunExamples {
  readonly operations: Readonly<Record<string, OperationExample>>;
  readonly errors: Readonly<Record<string, unknown>>;
}

/** Runs the plan beside a receiver of events, which accepts them. */
export async function runExamples(o: Omit<Surroundings, 'receiverUrl'>): Promise<PlanRun> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const run = new PlanRun({ ...o, receiverUrl: `http://127.0.0.1:${port}/events` });
  try {
    await runPlan(run);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
  return run;
}

/** The examples of a run, without run-dependent values; throws if they contain a secret of the installation. */
export function recorded(run: PlanRun, startedAt: Date): RunExamples {
  const { stack, receiverUrl } = run.surroundings;
  const { apiKey, oauthClientId, oauthClientSecret, url } = stack.sandboxCrm;
  const known = [
    [stack.baseUrl, PUBLIC_URL],
    [new URL(stack.baseUrl).host, 'fairlead.example'],
    [receiverUrl, 'https://receiver.example/events'],
    [url, 'https://crm.example'],
    [apiKey, 'YOUR_SANDBOX_CRM_API_KEY'],
    [oauthClientSecret, 'YOUR_OAUTH_CLIENT_SECRET'],
    [oauthClientId, 'YOUR_OAUTH_CLIENT_ID'],
    [`${hostname()}/`, 'fairlead-7d5f9c6b8-x2k4q/'],
  ] as const;
  const stable = new Stable({ known, startedAt });
  const operations: Record<string, OperationExample> = {};
  for (const [operationId, { request, body }] of run.exchanges) {
    operations[operationId] = {
      // Stable values have the same shapes as the values that they replace.
      request: stable.of(request) as OperationExample['request'],
      ...(body !== undefined && { response: stable.of(body) }),
    };
  }
  const result = {
    operations,
    errors: Object.fromEntries([...run.errors].map(([code, body]) => [code, stable.of(body)])),
  };
  const text = JSON.stringify(result);
  const left = secretsOf(run).filter((secret) => text.includes(secret));
  if (left.length > 0) throw new Error(`${left.length} secrets are left in the examples; record them again.`);
  return result;
}

const SECRET_MEMBERS = new Set([
  'apiKey',
  'clientSecret',
  'signingSecret',
  'token',
  'inboundUrl',
  'signInUrl',
]);

/** Every secret that the run used or received. */
function secretsOf({ surroundings: { stack }, exchanges }: PlanRun): string[] {
  const secrets = [stack.operatorKey, stack.account.apiKey, stack.account.ownerPassword];
  const { apiKey, oauthClientSecret, adminKey, password } = stack.sandboxCrm;
  secrets.push(apiKey, oauthClientSecret, adminKey, password);
  JSON.stringify([...exchanges.values()], (name, value: unknown) => {
    if (typeof value === 'string' && SECRET_MEMBERS.has(name)) secrets.push(value.slice(-20));
    return value;
  });
  return secrets;
}
