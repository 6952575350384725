import { z } from 'zod';
import { CliError } from '../failure.ts';
import { accessTokenOf } from '../session/access-token.ts';
import { findApiKey, sessionStore } from '../session/client-settings.ts';
import type { ConnectionOptions } from '../session/client-settings.ts';
import type { World } from '../world.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';
import { probe } from './probe.ts';

const LOW_BUDGET = 0.1;

/** Checks which resources the person's credentials can access. */
export async function checkAccess(url: string, options: ConnectionOptions, world: World): Promise<Finding[]> {
  return [...(await credential(url, options, world)), ...(await operator(url, world))];
}

async function credential(url: string, options: ConnectionOptions, world: World): Promise<Finding[]> {
  const apiKey = findApiKey(options, world);
  const { sessions } = await sessionStore(world).read();
  const session = sessions[url];
  if (apiKey !== undefined) return await probeAccess(url, { 'x-api-key': apiKey }, world);
  if (session === undefined) {
    return [
      warn('credential', `not signed in to ${url}`, `fairlead login --url ${url}, or set FAIRLEAD_API_KEY.`),
    ];
  }
  const isOver = Date.parse(session.expiresAt) <= world.now().getTime();
  try {
    const token = await accessTokenOf(sessionStore(world), url, world)();
    const text = isOver ? 'had expired and was renewed' : `is valid until ${session.expiresAt}`;
    const renewal =
      session.refreshToken === undefined ? ', and cannot be renewed' : ', and is renewed automatically';
    return [
      ok('token', `${text}${renewal}`),
      ...(await probeAccess(url, { authorization: `Bearer ${token}` }, world)),
    ];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [fail('token', error.message, `fairlead login --url ${url}`)];
  }
}

const whoami = z.object({ accountName: z.string(), userEmail: z.string(), credentialType: z.string() });

async function probeAccess(url: string, headers: Record<string, string>, world: World): Promise<Finding[]> {
  const answer = await probe(`${url}/v1/auth/whoami`, world, headers);
  if (!answer.isAnswered) return [fail('credential', answer.reason, 'See above.')];
  const who = whoami.safeParse(answer.body);
  if (answer.status !== 200 || !who.success) return [fail('credential', ...refused(answer.status))];
  const { userEmail, accountName, credentialType } = who.data;
  return [ok('credential', `${credentialType} of ${userEmail}, ${accountName}`), ...budgets(answer.headers)];
}

function refused(status: number): [message: string, hint: string] {
  switch (status) {
    case 401:
      return ['refused: unknown, expired or revoked', 'Sign in again, or create another key.'];
    case 403:
      return ['refused: its user is inactive', 'An administrator of the account can change that.'];
    case 429:
      return ['the account’s rate budget is used up', 'Wait, or ask an administrator to raise it.'];
    default:
      return [`/v1/auth/whoami answered ${status}`, 'See the logs of the gateway.'];
  }
}

/** `RateLimit: "burst";r=49;t=1` beside `RateLimit-Policy: "burst";q=50;w=1` (the IETF draft of both headers). */
function budgets(headers: Headers): Finding[] {
  const limits = parameters(headers.get('ratelimit-policy'), 'q');
  const left = parameters(headers.get('ratelimit'), 'r');
  return [...left].flatMap(([name, rest]) => {
    const limit = limits.get(name);
    // The per-second limit is full again before anyone reads this.
    if (limit === undefined || name !== 'hourly') return [];
    const message = `${rest} of ${limit} calls are left in this hour`;
    const hint = 'Spread the calls, or ask for a higher budget.';
    return [rest < limit * LOW_BUDGET ? warn('budget', message, hint) : ok('budget', message)];
  });
}

function parameters(header: string | null, name: 'q' | 'r'): Map<string, number> {
  const items = (header ?? '').matchAll(new RegExp(String.raw`"([^"]+)"[^,]*?;${name}=(\d+)`, 'g'));
  return new Map([...items].map(([, item = '', value]) => [item, Number(value)]));
}

async function operator(url: string, world: World): Promise<Finding[]> {
  const key = world.environment['FAIRLEAD_OPERATOR_KEY'];
  if (key === undefined || key === '') return [];
  const answer = await probe(`${url}/operator/v1/accounts?top=1`, world, { 'x-api-key': key });
  if (answer.isAnswered && answer.status === 200)
    return [ok('operator', 'FAIRLEAD_OPERATOR_KEY is accepted')];
  const message = answer.isAnswered ? `FAIRLEAD_OPERATOR_KEY: ${answer.status}` : answer.reason;
  return [fail('operator', message, 'It must be OPERATOR_KEY of the gateway.')];
}
