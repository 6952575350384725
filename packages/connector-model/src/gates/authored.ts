import { isJsonObject } from '../json.ts';
import type { Connector, Json, ToolDefinition } from '../model.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import type { Problem } from './problem.ts';

/** The problems of the addresses of an application whose vendor has these domains: each is within one of them, https only. */
export function addressProblems(connector: Connector, hosts: readonly string[]): readonly Problem[] {
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
  return addresses.flatMap(([path, address]) => {
    if (address === null || address.startsWith('/')) return [];
    const host = /^https:\/\/([a-z0-9.-]+)(?:\/|$)/.exec(
      address.replace(/^https:\/\/\{\{field\.[A-Za-z0-9_]+\}\}\./, 'https://'),
    )?.[1];
    const isVendor = hosts.some((domain) => host === domain || host?.endsWith(`.${domain}`) === true);
    return isVendor ? [] : [{ path, message: `must be an https address within ${hosts.join(' or ')}` }];
  });
}

/** The tools of one application differ in method, path or GraphQL document, so that nobody has to choose between equal ones. */
export function equalRequestProblems(tools: readonly ToolDefinition[]): readonly Problem[] {
  const seen = new Map<string, string>();
  return tools.flatMap(({ toolSlug, execution }, index) => {
    if (execution.type !== 'http') return [];
    const { method, url, graphql } = execution.request;
    const document = graphql === undefined ? '' : ` ${graphql.query}`;
    const key = `${method} ${url.replaceAll(/\{\{[^{}]*\}\}/g, '{}')}${document}`;
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
