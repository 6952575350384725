import type {
  AuthenticationMethod,
  AuthenticationScheme,
  Connector,
  HttpRequestTemplate,
  ToolDefinition,
  TriggerTypeDefinition,
} from '../model.ts';
import type { Json } from '../json.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import { hasMalformedPlaceholder, placeholdersIn, stringsIn } from '../template.ts';
import type { TemplateRoot } from '../template.ts';
import { under } from './problem.ts';
import type { Problem } from './problem.ts';

/** Names that templates may use at one place, by root; an absent root is not allowed there. */
type Scope = Partial<Readonly<Record<TemplateRoot, readonly string[]>>>;

const PAGE = ['top', 'offset', 'cursor', 'number'];
const FILTER = ['field', 'operator', 'value', 'json'];
const SORT = ['field', 'direction'];

/** The problems of templates: names that are unknown at their place, and relative URLs without a base. */
export function templateProblems(connector: Connector): readonly Problem[] {
  const setting = connector.settings;
  // A tool works with every method of its connector, so a field may be undefined with the connection's method.
  const field = [
    ...new Set(connector.authenticationMethods.flatMap((method) => method.fields.map(({ name }) => name))),
  ];
  return [
    ...wrongIn(connector.baseUrl, { setting, field }, ['baseUrl']),
    ...wrongIn(connector.headers, { setting, field }, ['headers']),
    ...wrongIn(connector.origins ?? null, { setting }, ['origins']),
    ...connector.authenticationMethods.flatMap((method, index) =>
      methodTemplates(connector, method, { setting, field }).map(under(['authenticationMethods', index])),
    ),
    ...connector.tools.flatMap((tool, index) =>
      toolTemplates(connector, tool, { setting, field }).map(under(['tools', index])),
    ),
    ...connector.triggerTypes.flatMap((type, index) =>
      triggerTemplates(connector, type, { setting, field }).map(under(['triggerTypes', index])),
    ),
    ...unusedSettings(connector),
  ];
}

/** The poll period, which requests need not use. */
const PERIOD = 'everySeconds';

function triggerTemplates(
  connector: Connector,
  type: TriggerTypeDefinition,
  scope: Scope,
): readonly Problem[] {
  const input = Object.keys(type.configSchema['properties'] ?? {});
  const requests = recipeRequests(type);
  const used = requests.flatMap(({ request }) =>
    placeholdersIn({ ...request }).flatMap(({ root, name }) => (root === 'input' ? [name] : [])),
  );
  return [
    ...requests.flatMap(({ path, request }) =>
      requestProblems(connector, request, { ...scope, input, ...recipeScope(path) }).map(under(path)),
    ),
    ...(requests.length === 0 ? [] : input).flatMap((name) =>
      name === PERIOD || used.includes(name)
        ? []
        : [
            {
              path: ['configSchema', 'properties', name],
              message: 'is a member that no request of the recipe uses',
            },
          ],
    ),
  ];
}

function recipeScope([recipe, member]: readonly string[]): Scope {
  if (recipe === 'poll')
    return member === 'request' ? { page: PAGE, cursor: ['since', 'sinceSeconds', 'sinceMilliseconds'] } : {};
  switch (member) {
    case 'register':
      return { webhook: ['url', 'secret'] };
    case 'remove':
      return { webhook: ['id'] };
    default:
      return { page: PAGE, webhook: ['url'] };
  }
}

function methodTemplates(
  connector: Connector,
  method: AuthenticationMethod,
  scope: Scope,
): readonly Problem[] {
  const own: Scope = { ...scope, field: method.fields.map(({ name }) => name) };
  return [
    ...schemeTemplates(method.scheme, own),
    ...wrongIn(method.baseUrl, own, ['baseUrl']),
    ...(method.test?.type === 'http'
      ? requestProblems(connector, method.test.request, scope).map(under(['test', 'request']))
      : []),
    ...method.fields.flatMap(({ helpUrl }, index) =>
      wrongIn(helpUrl, { setting: scope.setting ?? [] }, ['fields', index, 'helpUrl']),
    ),
    ...method.fields.flatMap(({ dynamicOptions }, index) =>
      dynamicOptions === null
        ? []
        : requestProblems(connector, dynamicOptions.request, scope).map(
            under(['fields', index, 'dynamicOptions', 'request']),
          ),
    ),
  ];
}

function schemeTemplates(scheme: AuthenticationScheme, scope: Scope): readonly Problem[] {
  if (scheme.type !== 'oauth2') return wrongIn({ ...scheme }, scope, ['scheme']);
  const { revocation, ...rest } = scheme;
  return [
    ...wrongIn(asJson(rest), scope, ['scheme']),
    ...(revocation === null
      ? []
      : wrongIn({ ...revocation }, { ...scope, token: ['value'] }, ['scheme', 'revocation'])),
  ];
}

function toolTemplates(connector: Connector, tool: ToolDefinition, scope: Scope): readonly Problem[] {
  const { execution, filters, sorts } = tool;
  const conditions = [
    ...wrongIn(filters?.query?.value ?? null, { filter: FILTER }, ['filters', 'query', 'value']),
    ...wrongIn(sorts?.query?.value ?? null, { sort: SORT }, ['sorts', 'query', 'value']),
  ];
  if (execution.type !== 'http') return conditions;
  const input = Object.keys(tool.inputSchema['properties'] ?? {});
  const page = tool.paging === null ? {} : { page: PAGE };
  const used = placeholdersIn({ ...execution.request }).flatMap(({ root, name }) =>
    root === 'input' ? [name] : [],
  );
  return [
    ...conditions,
    ...requestProblems(connector, execution.request, { ...scope, input, ...page }).map(
      under(['execution', 'request']),
    ),
    ...input.flatMap((name) =>
      used.includes(name)
        ? []
        : [
            {
              path: ['inputSchema', 'properties', name],
              message: 'is an input that the request does not use',
            },
          ],
    ),
  ];
}

function requestProblems(
  connector: Connector,
  request: HttpRequestTemplate,
  scope: Scope,
): readonly Problem[] {
  // A GraphQL document is sent unchanged, and contains many braces.
  const { graphql, ...rest } = request;
  const problems = [
    ...wrongIn({ ...rest }, scope, []),
    ...wrongIn(graphql?.variables ?? null, scope, ['graphql', 'variables']),
  ];
  if (request.url.startsWith('/')) {
    const hasBase = connector.authenticationMethods.every(({ baseUrl }) => baseUrl !== null);
    if (connector.baseUrl === null && !hasBase)
      problems.push({ path: ['url'], message: 'is relative, but there is no baseUrl' });
  } else if (!/^https?:\/\/|^\{\{(?:setting|field)\./.test(request.url)) {
    problems.push({
      path: ['url'],
      message: "must begin with '/', with http(s):// or with a setting or field",
    });
  }
  return problems;
}

function unusedSettings(connector: Connector): readonly Problem[] {
  if (connector.settings.length === 0) return [];
  const used = placeholdersIn({
    baseUrl: connector.baseUrl,
    headers: connector.headers,
    origins: connector.origins ?? null,
    methods: asJson(connector.authenticationMethods),
  })
    .concat(placeholdersIn(asJson(connector.tools)), placeholdersIn(asJson(connector.triggerTypes)))
    .flatMap(({ root, name }) => (root === 'setting' ? [name] : []));
  return connector.settings.flatMap((name, index) =>
    used.includes(name) ? [] : [{ path: ['settings', index], message: `'${name}' is not used` }],
  );
}

/** The model is plain JSON, which its interfaces cannot express. */
function asJson(model: object): Json {
  return model as unknown as Json;
}

function wrongIn(value: Json, scope: Scope, path: Problem['path']): readonly Problem[] {
  if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    return Object.entries(value).flatMap(([key, member]: [string, Json]) =>
      wrongIn(member, scope, [...path, isList ? Number(key) : key]),
    );
  }
  return [
    ...stringsIn(value)
      .filter(hasMalformedPlaceholder)
      .map((text) => ({ path, message: `'${text}' contains braces that are not a template` })),
    ...placeholdersIn(value).flatMap(({ root, name }) =>
      scope[root]?.includes(name) === true
        ? []
        : [{ path, message: `{{${root}.${name}}} is not known here${knownNames(scope[root])}` }],
    ),
  ];
}

function knownNames(names: readonly string[] | undefined): string {
  if (names === undefined) return '';
  return names.length === 0 ? ' (there are none)' : ` (known: ${names.join(', ')})`;
}
