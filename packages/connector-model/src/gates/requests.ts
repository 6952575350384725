import { isJsonObject } from '../json.ts';
import type { Connector, HttpRequestTemplate, Paging, ToolDefinition } from '../model.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import { placeholdersIn, templateParts } from '../template.ts';
import { under } from './problem.ts';
import type { Problem } from './problem.ts';

/** The problems of requests besides their templates: contradictory members, and scopes that cannot be granted. */
export function requestProblems(connector: Connector): readonly Problem[] {
  const { authenticationMethods: methods, tools, triggerTypes } = connector;
  const hasScopes = methods.some(({ scheme }) => scheme.type === 'oauth2');
  return [
    ...methods.flatMap(({ test, fields }, index) => [
      ...(test?.type === 'http'
        ? oneRequest(test.request).map(under(['authenticationMethods', index, 'test', 'request']))
        : []),
      ...fields.flatMap(({ dynamicOptions }, field) =>
        dynamicOptions === null
          ? []
          : oneRequest(dynamicOptions.request).map(
              under(['authenticationMethods', index, 'fields', field, 'dynamicOptions', 'request']),
            ),
      ),
    ]),
    ...tools.flatMap((tool, index) =>
      [
        ...(tool.execution.type === 'http'
          ? oneRequest(tool.execution.request).map(under(['execution', 'request']))
          : []),
        ...pageProblems(tool),
        ...(tool.scopes === undefined || hasScopes
          ? []
          : [{ path: ['scopes'], message: 'are granted by OAuth 2 only, which no method uses' }]),
      ].map(under(['tools', index])),
    ),
    ...triggerTypes.flatMap((type, index) =>
      recipeRequests(type).flatMap(({ path, request }) =>
        oneRequest(request).map(under(['triggerTypes', index, ...path])),
      ),
    ),
  ];
}

function oneRequest(request: HttpRequestTemplate): readonly Problem[] {
  const { body, encoding, graphql, method, query, queryStyles = {} } = request;
  const problems: Problem[] = [];
  for (const name of Object.keys(queryStyles)) {
    if (!Object.hasOwn(query, name))
      problems.push({ path: ['queryStyles', name], message: 'is no parameter of the query' });
  }
  if (request.followsElsewhere === true && method !== 'GET')
    problems.push({ path: ['followsElsewhere'], message: 'is only for GET' });
  if (graphql !== undefined) problems.push(...graphqlProblems(request, graphql));
  if (encoding === undefined) return problems;
  if (body === null)
    problems.push({ path: ['encoding'], message: 'has no effect, because there is no body' });
  else if (method === 'GET' || method === 'HEAD')
    problems.push({ path: ['encoding'], message: `has no effect, because ${method} requests have no body` });
  else if (encoding.type === 'raw') {
    const parts = typeof body === 'string' ? templateParts(body) : [];
    if (typeof body !== 'string' || !parts.some((part) => 'placeholder' in part))
      problems.push({ path: ['body'], message: 'must be a text with a template, because it is sent raw' });
  } else if (encoding.type !== 'json' && !isJsonObject(body)) {
    problems.push({ path: ['body'], message: `must be an object, because its encoding is ${encoding.type}` });
  }
  return problems;
}

function graphqlProblems(
  { body, encoding, method }: HttpRequestTemplate,
  { query, variables }: NonNullable<HttpRequestTemplate['graphql']>,
): readonly Problem[] {
  const problems: Problem[] = [];
  const path = ['graphql'];
  if (body !== null || encoding !== undefined)
    problems.push({ path, message: "takes the place of 'body' and 'encoding'" });
  if (method !== 'POST') problems.push({ path: ['method'], message: 'must be POST for GraphQL' });
  if (/\{\{\s*[a-z]+\.[A-Za-z]/.test(query))
    problems.push({ path: [...path, 'query'], message: 'holds a template, which only `variables` may' });
  const declared = new Set([...query.matchAll(/\$([_A-Za-z][_0-9A-Za-z]*)\s*:/g)].map(([, name]) => name));
  for (const name of Object.keys(variables)) {
    if (!declared.delete(name))
      problems.push({ path: [...path, 'variables', name], message: 'is no variable of the query' });
  }
  for (const name of declared)
    problems.push({ path: [...path, 'query'], message: `declares $${String(name)}, which gets no value` });
  return problems;
}

/** Without a parameter for the page, each request would return the first page. */
function pageProblems({ paging, execution }: ToolDefinition): readonly Problem[] {
  if (paging === null || execution.type !== 'http') return [];
  const used = placeholdersIn({ ...execution.request });
  return templatesOfPage(paging)
    .filter((name) => !used.some((placeholder) => placeholder.root === 'page' && placeholder.name === name))
    .map((name) => ({
      path: ['paging'],
      message: `has no parameter for the page, and the request no {{page.${name}}}`,
    }));
}

/** The placeholders that the request must use, because no query parameter has their value. */
function templatesOfPage(paging: Paging): readonly string[] {
  switch (paging.type) {
    case 'offset':
      return [
        ...(paging.topQuery === null ? ['top'] : []),
        ...(paging.offsetQuery === null ? ['offset'] : []),
      ];
    case 'page':
      return paging.pageQuery === null ? ['number'] : [];
    case 'cursor':
    case 'lastId':
      return paging.cursorQuery === null ? ['cursor'] : [];
    case 'nextUrl':
    case 'link':
    case 'handler':
      return [];
  }
}
