import { isJsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Connector, ToolDefinition } from '../model.ts';
import type { Json } from '../json.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import type { Problem } from './problem.ts';

/** Minimum number of tools of a vendor's application; with fewer it would be useless. */
const MIN_TOOLS = 5;

/** The problems of a vendor application whose tools are hand-written. */
export function writtenProblems({ source, hosts, tools }: Manifest): readonly Problem[] {
  if (hosts === undefined) return [];
  if (source !== undefined) return [{ path: ['hosts'], message: 'are those of the `source`' }];
  if (tools.length >= MIN_TOOLS) return [];
  return [{ path: ['tools'], message: `must have at least ${String(MIN_TOOLS)} tools` }];
}

/**
 * The problems of an application's addresses: each must be https and within the vendor's domains. Without domains
 * there are no problems.
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

/** The address with each host that its fields can produce. Fields that only name a part below a domain are omitted. */
function withHosts(
  address: string,
  fields: Connector['authenticationMethods'][number]['fields'],
): readonly string[] {
  const match = /^(https:\/\/[^/{]*|)\{\{field\.([A-Za-z0-9_]+)\}\}/.exec(address);
  if (match === null) return [address];
  const [whole, before = '', name] = match;
  const rest = address.slice(whole.length);
  const matches = fields.filter((field) => field.name === name);
  const values = matches.flatMap(({ options, allowedHosts }) => [
    ...options.map(({ value }) => value),
    ...allowedHosts,
  ]);
  // For self-hosted vendors, the creator of a connection names the host.
  if (values.includes('*') && before === 'https://') return [];
  const below = /^[a-z0-9-]*\.(.*)$/.exec(rest)?.[1];
  if (values.length === 0) return [below === undefined ? address : `https://${below}`];
  const start = before === '' ? 'https://' : before;
  return values.flatMap((value) =>
    withHosts(`${start}${value.replace(/^(?:https:\/\/|\.)/, '')}${rest}`, fields),
  );
}

/**
 * Tools of an application must differ in method, path, GraphQL document, or fixed headers and form values (such as
 * the operation in AWS's `x-amz-target` or `Action`), so nobody has to choose between equal tools.
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

/** Every input must have a description. */
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
