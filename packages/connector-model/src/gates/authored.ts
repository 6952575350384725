import { isJsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Connector, Json, ToolDefinition } from '../model.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import type { Problem } from './problem.ts';

/** Below it an application of a vendor is no use. */
const MIN_TOOLS = 5;

/** The problems of an application of a vendor whose tools are written by hand. */
export function writtenProblems({ source, hosts, tools }: Manifest): readonly Problem[] {
  if (hosts === undefined) return [];
  if (source !== undefined) return [{ path: ['hosts'], message: 'are those of the `source`' }];
  if (tools.length >= MIN_TOOLS) return [];
  return [{ path: ['tools'], message: `must have at least ${String(MIN_TOOLS)} tools` }];
}

/**
 * The problems of the addresses of an application whose vendor has these domains: each is within one of them, https only.
 * Without domains there are none.
 */
export function addressProblems(
  connector: Connector,
  hosts: readonly string[] | undefined,
): readonly Problem[] {
  if (hosts === undefined) return [];
  const { authenticationMethods, tools, triggerTypes } = connector;
  const addresses: (readonly [Problem['path'], string | null])[] = [
    [['baseUrl'], connector.baseUrl],
    ...(connector.origins ?? []).map((origin, index) => [['origins', index], origin] as const),
    ...authenticationMethods.flatMap(({ baseUrl, scheme }, index) => {
      const at = ['authenticationMethods', index];
      if (scheme.type !== 'oauth2') return [[[...at, 'baseUrl'], baseUrl] as const];
      return [
        [[...at, 'baseUrl'], baseUrl] as const,
        [[...at, 'scheme', 'authorizationUrl'], scheme.authorizationUrl] as const,
        [[...at, 'scheme', 'tokenUrl'], scheme.tokenUrl] as const,
        [[...at, 'scheme', 'revocation', 'url'], scheme.revocation?.url ?? null] as const,
      ];
    }),
    ...tools.flatMap(({ execution }, index) =>
      execution.type === 'http'
        ? [[['tools', index, 'execution', 'request', 'url'], execution.request.url] as const]
        : [],
    ),
    ...triggerTypes.flatMap((type, index) =>
      recipeRequests(type).map(
        ({ path, request }) => [['triggerTypes', index, ...path, 'url'], request.url] as const,
      ),
    ),
  ];
  const fields = authenticationMethods.flatMap((method) => method.fields);
  return addresses.flatMap(([path, address]) => {
    if (address === null || address.startsWith('/')) return [];
    const isVendors = withHosts(address, fields).every((each) => isWithin(each, hosts));
    return isVendors ? [] : [{ path, message: `must be an https address within ${hosts.join(' or ')}` }];
  });
}

function isWithin(address: string, hosts: readonly string[]): boolean {
  const host = /^https:\/\/([a-z0-9.-]+)(?:\/|$)/.exec(address)?.[1];
  return hosts.some((domain) => host === domain || host?.endsWith(`.${domain}`) === true);
}

/** The address with each host that the fields in it can give it; a field that names only what is below a domain is left out. */
function withHosts(
  address: string,
  fields: Connector['authenticationMethods'][number]['fields'],
): readonly string[] {
  const match = /^(https:\/\/[^/{]*|)\{\{field\.([A-Za-z0-9_]+)\}\}/.exec(address);
  if (match === null) return [address];
  const [whole, before = '', name] = match;
  const rest = address.slice(whole.length);
  const given = fields.filter((field) => field.name === name);
  const values = given.flatMap(({ options, allowedHosts }) => [
    ...options.map(({ value }) => value),
    ...allowedHosts,
  ]);
  // A self-hosted vendor's: whoever makes the connection names the host.
  if (values.includes('*') && before === 'https://') return [];
  const below = /^[a-z0-9-]*\.(.*)$/.exec(rest)?.[1];
  if (values.length === 0) return [below === undefined ? address : `https://${below}`];
  const start = before === '' ? 'https://' : before;
  return values.flatMap((value) =>
    withHosts(`${start}${value.replace(/^(?:https:\/\/|\.)/, '')}${rest}`, fields),
  );
}

/**
 * The tools of one application differ in method, path, GraphQL document, or fixed headers and texts of a form, such as the operation in
 * `x-amz-target` or `Action` of AWS, so that nobody has to choose between equal ones.
 */
export function equalRequestProblems(tools: readonly ToolDefinition[]): readonly Problem[] {
  const seen = new Map<string, string>();
  return tools.flatMap(({ toolSlug, execution }, index) => {
    if (execution.type !== 'http') return [];
    const { method, url, graphql, headers, body, encoding } = execution.request;
    const form = encoding?.type === 'form' && isJsonObject(body) ? Object.values(body) : [];
    const fixed = [...Object.values(headers), ...form].flatMap((value) =>
      typeof value === 'string' && !value.includes('{{') ? [value] : [],
    );
    const document = graphql === undefined ? '' : ` ${graphql.query}`;
    const key =
      `${method} ${url.replaceAll(/\{\{[^{}]*\}\}/g, '{}')}${document} ${fixed.join(' ')}`.trimEnd();
    const other = seen.get(key);
    seen.set(key, other ?? toolSlug);
    return other === undefined
      ? []
      : [{ path: ['tools', index], message: `sends the same request as ${other}: ${key}` }];
  });
}

/** Every input says what to enter. */
export function undescribedInputs(tools: readonly ToolDefinition[]): readonly Problem[] {
  return tools.flatMap(({ inputSchema }, index) => {
    const properties: Json | undefined = inputSchema['properties'];
    return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
      isJsonObject(schema) && typeof schema['description'] === 'string' && schema['description'] !== ''
        ? []
        : [{ path: ['tools', index, 'inputSchema', 'properties', name], message: 'needs a description' }],
    );
  });
}
