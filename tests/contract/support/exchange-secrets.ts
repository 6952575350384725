import { readFileSync } from 'node:fs';
import type { Evidence, PlantedSecret } from '../../observability/support/search.ts';
import type { ExchangeRecord } from './recorder.ts';

/** Shorter values are ordinary words of tests ("x", "wrong"), which occur by chance. */
const SHORTEST_SECRET = 12;

/** The header that names a session of an MCP client. */
const MCP_SESSION = 'mcp-session-id';

/** Members of bodies, forms and queries whose values are secrets. */
const SECRET_MEMBERS = new Set([
  'access_token',
  'apiKey',
  'apiToken',
  'client_secret',
  'clientSecret',
  'code',
  'inboundUrl',
  'mcpServerToken',
  'code_verifier',
  'device_code',
  'id_token',
  'ownerPassword',
  'password',
  'refresh_token',
  'registration_access_token',
  'signingSecret',
  'token',
]);

/** Responses that may contain secrets, because they issue them, once. */
const ENTITLED: readonly { readonly request: RegExp; readonly members: readonly string[] }[] = [
  { request: /^POST \/admin\/v1\/api-keys$/, members: ['apiKey'] },
  {
    request: /^(?:GET|POST|PATCH|DELETE) \/(?:admin\/)?v1\/mcpservers(?:\/|$)/,
    members: ['mcpServerToken', 'url'],
  },
  {
    request: /^(?:POST \/v1\/on-prem-agents|(?:GET|POST) \/v1\/on-prem-agents\/\d+\/token)$/,
    members: ['token'],
  },
  { request: /^POST \/v1\/connect-sessions$/, members: ['token', 'connectUrl'] },
  { request: /^(?:POST|GET) \/v1\/files(?:\/[^/]+)?$/, members: ['url'] },
  { request: /^POST \/operator\/v1\/accounts$/, members: ['apiKey'] },
  { request: /^(?:GET|POST|PATCH) \/v1\/triggers(?:\/trg_[^/]+)?$/, members: ['inboundUrl'] },
  {
    request: /^POST \/v1\/triggers\/destinations(?:\/[^/]+\/rotate-secret)?$/,
    members: ['signingSecret'],
  },
  { request: /^POST \/admin\/v1\/oauth-clients(?:\/[^/]+\/[\w-]+)?$/, members: ['clientSecret'] },
  {
    request: /^POST \/oauth\/[\w-]+$/,
    members: [
      'access_token',
      'client_secret',
      'device_code',
      'id_token',
      'refresh_token',
      'registration_access_token',
    ],
  },
];

/** The exchanges recorded by a run. */
export function readExchanges(file: string): ExchangeRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  // Written by recorder.ts.
  return lines.map((line) => JSON.parse(line) as ExchangeRecord);
}

/** All distinct secrets in the exchanges with `baseUrl`, named by first occurrence. */
export function secretsOf(exchanges: readonly ExchangeRecord[], baseUrl: string): PlantedSecret[] {
  const secrets = new Map<string, string>();
  const plant = (value: string, name: string): void => {
    if (value.length >= SHORTEST_SECRET && !secrets.has(value)) secrets.set(value, name);
  };
  for (const exchange of ofOurs(exchanges, baseUrl)) {
    const where = placeOf(exchange);
    for (const [name, value] of exchange.requestHeaders) {
      for (const secret of credentialsIn(name, value)) plant(secret, `${name} sent to ${where}`);
    }
    for (const [name, value] of exchange.headers)
      if (name === MCP_SESSION) plant(coreOf(value), `${name} of ${where}`);
    for (const [name, value] of membersOf(exchange)) plant(coreOf(value), `${name} of ${where}`);
  }
  return [...secrets].map(([value, name]) => ({ name, value }));
}

/** Responses of the API at `baseUrl`, without the secrets that they issue. */
export function answersOf(exchanges: readonly ExchangeRecord[], baseUrl: string): Evidence[] {
  return ofOurs(exchanges, baseUrl).map((exchange, at) => ({
    place: `answer ${at}, ${exchange.status} to ${placeOf(exchange)}`,
    bytes: Buffer.from(`${JSON.stringify(headersOf(exchange))}\n${bodyOf(exchange)}`),
  }));
}

/** Vendors' pages are not checked. */
function ofOurs(exchanges: readonly ExchangeRecord[], baseUrl: string): readonly ExchangeRecord[] {
  return exchanges.filter(({ url }) => new URL(url).origin === new URL(baseUrl).origin);
}

function placeOf({ method, url }: ExchangeRecord): string {
  return `${method} ${new URL(url).pathname}`;
}

/** The secrets in a request's headers. */
function credentialsIn(name: string, value: string): string[] {
  if (name === MCP_SESSION) return [coreOf(value)];
  if (name === 'x-api-key') return value.startsWith('fairlead_') ? [coreOf(value)] : [];
  if (name === 'cookie') {
    // Other values name a dialogue whose address contains the same name.
    const sessions = value.split('; ').filter((pair) => /^[^=]*session[^=]*=/i.test(pair));
    return sessions.map((pair) => pair.slice(pair.indexOf('=') + 1));
  }
  if (name !== 'authorization') return [];
  const [scheme = '', credential = ''] = value.split(' ');
  if (scheme.toLowerCase() !== 'basic') return [coreOf(credential)];
  const pair = Buffer.from(credential, 'base64').toString();
  return [decodeURIComponent(pair.slice(pair.indexOf(':') + 1))];
}

/**
 * The secret part of a value: a key or MCP server's token without its prefix, the signature of a signed token or session id, the token in
 * an inbound address.
 */
function coreOf(value: string): string {
  const signature = /^(?:eyJ[\w-]+|v\d+)\.[\w-]+\.([\w-]+)$/.exec(value)?.[1];
  const hook = /\/hooks\/([0-9A-Za-z]+)$/.exec(value)?.[1];
  return signature ?? hook ?? value.replace(/^(?:fairlead_(?:operator_)?|mcp_)/, '');
}

/** Names and values of secret members in a request and its response. */
function membersOf(exchange: ExchangeRecord): [name: string, value: string][] {
  const found: [string, string][] = [...new URL(exchange.url).searchParams];
  const location = exchange.headers.find(([name]) => name === 'location')?.[1];
  if (location !== undefined && URL.canParse(location, exchange.url)) {
    found.push(...new URL(location, exchange.url).searchParams);
  }
  const type = exchange.requestHeaders.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (type.includes('form-urlencoded')) found.push(...new URLSearchParams(exchange.requestBody));
  visit(parsed(exchange.requestBody), (name, value) => {
    found.push([name, value]);
    return value;
  });
  const given = entitledMembers(exchange);
  visit(parsed(exchange.body), (name, value) => {
    if (given.includes(name)) found.push([name, value]);
    return value;
  });
  return found.filter(([name]) => SECRET_MEMBERS.has(name));
}

/** Members of a response that issue a secret. */
function entitledMembers(exchange: ExchangeRecord): readonly string[] {
  const request = placeOf(exchange);
  return ENTITLED.filter((it) => it.request.test(request)).flatMap((it) => it.members);
}

function bodyOf(exchange: ExchangeRecord): string {
  const body = parsed(exchange.body);
  if (exchange.status >= 400) return exchange.body;
  if (body === undefined) return withoutCode(exchange);
  const members = entitledMembers(exchange);
  return JSON.stringify(visit(body, (name, value) => (members.includes(name) ? '<entitled>' : value)));
}

/** A redirect's text repeats its header: a code for the client at that address. */
function withoutCode({ status, body }: ExchangeRecord): string {
  return status >= 300 ? body.replaceAll(CODE, '$1<entitled>') : body;
}

const CODE = /([?&](?:amp;)?code=)[\w-]+/g;

/** A cookie is for the browser that gets it; a session id for the client that began the session. */
function headersOf({ headers }: ExchangeRecord): (readonly [string, string])[] {
  return headers
    .filter(([name]) => name !== 'set-cookie' && name !== MCP_SESSION)
    .map(([name, value]) => [name, name === 'location' ? value.replaceAll(CODE, '$1<entitled>') : value]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy with `replace` applied to every text member. */
function visit(value: unknown, replace: (name: string, text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((it) => visit(it, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' ? replace(name, member) : visit(member, replace),
    ]),
  );
}
