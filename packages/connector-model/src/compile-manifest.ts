import type { z } from 'zod';
import { LineCounter, isNode, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { callerInputs } from './caller-inputs.ts';
import { connectorProblems } from './gates/connector.ts';
import type { Problem } from './gates/problem.ts';
import { pathText } from './gates/problem.ts';
import { authoredSchemaCheck } from './gates/schemas.ts';
import {
  addressProblems,
  equalRequestProblems,
  undescribedInputs,
  writtenProblems,
} from './gates/authored.ts';
import { importOperations } from './import/import-operations.ts';
import type { ImportResult } from './import/import-operations.ts';
import { inlineSchemas, itemSchemaName } from './inline-schemas.ts';
import { iconNameOf, logoUrlOf } from './logo.ts';
import type { Icons } from './logo.ts';
import { manifestSchema } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { fieldOfPreset } from './schema/preset-field.ts';
import { isJsonObject, objectOrEmpty } from './json.ts';
import { mapRecipeRequests } from './trigger-recipes.ts';
import type {
  AuthenticationMethod,
  Connector,
  HttpRequestTemplate,
  ToolDefinition,
  ToolExecution,
} from './model.ts';
import type { Json, JsonObject } from './json.ts';

/** The tools of an application share input and output schemas. */
const MAX_ALIASES = 10_000;

/** A problem of a manifest. `line` starts at 1; `path` is empty for the whole file. */
export interface CompileProblem {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly message: string;
}

/** A compiled manifest, or all problems of the manifest. */
export type ManifestResult =
  | { readonly ok: true; readonly connector: Connector }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/** A parsed manifest of valid form, with a function that finds the line of a problem. */
export type ManifestParse =
  | { readonly ok: true; readonly manifest: Manifest; readonly locate: (problem: Problem) => CompileProblem }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/**
 * Compiles the text of a `connector.yaml`. `directory` is the name of its directory, which must be the connector's
 * slug. `file` is the file name in problems. `description` is the vendor description that `source` names.
 */
export function compileManifest(
  text: string,
  o: {
    readonly directory: string;
    readonly file: string;
    readonly description?: Json;
    readonly icons?: Icons;
  },
): ManifestResult {
  const read = readManifest(text, o.file);
  return read.ok ? compileRead(read, o) : read;
}

/** Compiles a parsed manifest, like compileManifest. */
export function compileRead(
  { manifest, locate }: Extract<ManifestParse, { readonly ok: true }>,
  o: {
    readonly directory: string;
    readonly description?: Json;
    readonly icons?: Icons;
    /** Further rules for a connector. */
    readonly gate?: (connector: Connector) => readonly Problem[];
  },
): ManifestResult {
  const { connector, problems } = connectorOf(manifest, o);
  return problems.length === 0 ? { ok: true, connector } : { ok: false, problems: problems.map(locate) };
}

/** Parses the text of a `connector.yaml` and checks its form. `file` is the file name in problems. */
export function readManifest(text: string, file: string): ManifestParse {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => ({
      file,
      line: lines.linePos(pos[0]).line,
      path: '',
      // Cut the excerpt of the file off the message; the line number replaces it.
      message: message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    }));
    return { ok: false, problems };
  }
  const locate = ({ path, message }: Problem): CompileProblem => ({
    file,
    line: lineOf(document, lines, path),
    path: pathText(path),
    message,
  });
  const parsed = manifestSchema.safeParse(document.toJS({ maxAliasCount: MAX_ALIASES }));
  if (parsed.success) return { ok: true, manifest: parsed.data, locate };
  const problems = parsed.error.issues.flatMap(ofUnion).map(({ path, message }) =>
    locate({
      path: path.map((step) => (typeof step === 'symbol' ? step.toString() : step)),
      message,
    }),
  );
  return { ok: false, problems };
}

function connectorOf(
  manifest: Manifest,
  { directory, description, icons, gate }: Parameters<typeof compileRead>[1],
): { readonly connector: Connector; readonly problems: readonly Problem[] } {
  const { source, operations, icon, hosts, ...written } = manifest;
  const imported = importedTools({ ...written, source, operations }, description);
  const unresolved: Problem[] = [];
  const connector = toConnector(
    {
      ...written,
      baseUrl: manifest.baseUrl ?? imported.baseUrl ?? null,
      logoUrl:
        manifest.logoUrl ??
        logoUrlOf(manifest, icon === null ? undefined : icons?.get(icon ?? iconNameOf(manifest.slug))),
      tools: [...manifest.tools, ...imported.tools],
    },
    unresolved,
  );
  const problems = [
    ...imported.problems,
    ...unresolved,
    ...slugProblems(manifest, directory),
    ...(typeof icon === 'string' && icons?.has(icon) === false
      ? [{ path: ['icon'], message: 'is not the name of an icon' }]
      : []),
    ...connectorProblems(connector, authoredSchemaCheck()),
    ...equalRequestProblems(connector.tools),
    ...undescribedInputs(connector.tools),
    ...addressProblems(connector, source?.hosts ?? hosts),
    ...writtenProblems(manifest),
    ...(gate?.(connector) ?? []),
  ].map(({ path, message }) => ({ path: manifestPath(path, manifest), message }));
  return { connector, problems };
}

function importedTools(
  {
    slug,
    source,
    operations,
    authenticationMethods,
  }: Pick<Manifest, 'slug' | 'source' | 'operations' | 'authenticationMethods'>,
  description: Json | undefined,
): ImportResult {
  if (source !== undefined && description !== undefined)
    return importOperations(description, {
      slug,
      source,
      operations,
      scopes: authenticationMethods.flatMap(({ scheme }) => (scheme.type === 'oauth2' ? scheme.scopes : [])),
    });
  const problems =
    source === undefined && operations.length > 0
      ? [{ path: ['operations'], message: 'need a `source`' }]
      : source !== undefined
        ? [{ path: ['source'], message: 'the description has not been fetched' }]
        : [];
  return { baseUrl: undefined, tools: [], problems };
}

function slugProblems(manifest: Manifest, directory: string): readonly Problem[] {
  const { slug, triggerTypes } = manifest;
  return [
    ...(slug === directory
      ? []
      : [{ path: ['slug'], message: `must be the name of its directory, '${directory}'` }]),
    ...(['tools', 'operations'] as const).flatMap((member) =>
      manifest[member].flatMap(({ toolSlug, aliases }, index) =>
        [
          { name: toolSlug, path: [member, index, 'toolSlug'] },
          ...aliases.map((name, i) => ({ name, path: [member, index, 'aliases', i] })),
        ].flatMap(({ name, path }) =>
          name.startsWith(`${slug}-`)
            ? []
            : [{ path, message: `must begin with '${slug}-', so that slugs do not clash` }],
        ),
      ),
    ),
    // The platform's own applications, which need no connection, have separate names.
    ...triggerTypes.flatMap((type, index) =>
      !type.requiresConnection || type.slug.startsWith(`${slug}-`)
        ? []
        : [
            {
              path: ['triggerTypes', index, 'slug'],
              message: `must begin with '${slug}-', so that slugs do not clash`,
            },
          ],
    ),
  ];
}

/** Builds the connector of a manifest. References to missing schemas are added to `unresolved`. */
export function toConnector(
  manifest: Omit<Manifest, 'source' | 'operations' | 'icon' | 'hosts'>,
  unresolved: Problem[],
): Connector {
  const { schemas, tools, triggerTypes, authenticationMethods, ...head } = manifest;
  const withHeaders = <T extends HttpRequestTemplate>(request: T): T => ({
    ...request,
    headers: mergeHeaders(head.headers, request.headers),
  });
  const named: Record<string, JsonObject> = { ...schemas };
  const resolve = (schema: JsonObject, path: Problem['path']): JsonObject =>
    inlineSchemas(schema, named, (message) => unresolved.push({ path, message }));
  const compiledTools = tools.map(
    ({ request, response, handler, version, ...tool }, index): ToolDefinition => {
      const execution: ToolExecution =
        request === undefined
          ? { type: 'handler', handler: handler ?? '' }
          : {
              type: 'http',
              request: withHeaders(request),
              response: response ?? { type: 'object', pointer: '' },
            };
      return {
        ...tool,
        version: version ?? manifest.version,
        inputSchema: callerInputs(resolve(tool.inputSchema, ['tools', index, 'inputSchema'])),
        outputSchema: resolve(tool.outputSchema, ['tools', index, 'outputSchema']),
        execution,
      };
    },
  );
  for (const { toolSlug, outputSchema } of compiledTools) {
    const item = objectOrEmpty(objectOrEmpty(outputSchema['properties'])['items'])['items'];
    if (isJsonObject(item)) named[itemSchemaName(toolSlug)] = item;
  }
  return {
    ...head,
    ...graphqlRules(manifest),
    authenticationMethods: authenticationMethods.map(({ fields, ...method }) => {
      const whole = fields.map((field) => ('preset' in field ? fieldOfPreset(field, head.name) : field));
      return methodWithHeaders({ ...method, fields: whole }, withHeaders);
    }),
    tools: compiledTools,
    triggerTypes: triggerTypes.map((type, index) => ({
      ...type,
      configSchema: resolve(type.configSchema, ['triggerTypes', index, 'configSchema']),
      payloadSchema: resolve(type.payloadSchema, ['triggerTypes', index, 'payloadSchema']),
      ...mapRecipeRequests(type, withHeaders),
    })),
  };
}

/** All GraphQL servers report failures in `errors` of a response with status 200. */
function graphqlRules({
  tools,
  success,
  errorMessagePointers,
}: Pick<Manifest, 'tools' | 'success' | 'errorMessagePointers'>): Pick<
  Manifest,
  'success' | 'errorMessagePointers'
> {
  const hasGraphql = tools.some(({ request }) => request?.graphql !== undefined);
  if (!hasGraphql) return { errorMessagePointers, ...(success && { success }) };
  return {
    success: { pointer: '/errors', values: [], ...success },
    errorMessagePointers: [...errorMessagePointers, '/errors/0/message'],
  };
}

function methodWithHeaders(
  method: AuthenticationMethod,
  withHeaders: (request: HttpRequestTemplate) => HttpRequestTemplate,
): AuthenticationMethod {
  const { test, fields } = method;
  return {
    ...method,
    test: test?.type === 'http' ? { type: 'http', request: withHeaders(test.request) } : test,
    fields: fields.map((field) =>
      field.dynamicOptions === null
        ? field
        : {
            ...field,
            dynamicOptions: { ...field.dynamicOptions, request: withHeaders(field.dynamicOptions.request) },
          },
    ),
  };
}

function mergeHeaders(
  common: HttpRequestTemplate['headers'],
  own: HttpRequestTemplate['headers'],
): HttpRequestTemplate['headers'] {
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return {
    ...Object.fromEntries(Object.entries(common).filter(([name]) => !ownNames.has(name.toLowerCase()))),
    ...own,
  };
}

/** The path in the manifest for a path in the compiled connector. */
function manifestPath(path: Problem['path'], { tools }: Manifest): Problem['path'] {
  const [member, index, ...rest] = path;
  if (member !== 'tools' || typeof index !== 'number') return path;
  const below = rest[0] === 'execution' ? rest.slice(1) : rest;
  // Imported tools come after the others.
  return index < tools.length ? [member, index, ...below] : ['operations', index - tools.length, ...below];
}

/** The line of the value at `path`, or of its nearest ancestor in the file. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Problem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** The problems of a union's alternative with the fewest problems, which was probably meant. */
export function ofUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [first, ...others] = issue.errors.toSorted((one, other) => one.length - other.length);
  // If two alternatives have the same number of problems, neither can be chosen.
  if (first === undefined || others[0]?.length === first.length) return [issue];
  return first.flatMap(ofUnion).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}
