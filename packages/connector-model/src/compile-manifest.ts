import type { z } from 'zod';
import { LineCounter, isNode, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { connectorProblems } from './gates/connector.ts';
import type { Problem } from './gates/problem.ts';
import { pathText } from './gates/problem.ts';
import { authoredSchemaCheck } from './gates/schemas.ts';
import { inlineSchemas } from './inline-schemas.ts';
import { manifestSchema } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { mapRecipeRequests } from './trigger-recipes.ts';
import type {
  AuthenticationMethod,
  Connector,
  HttpRequestTemplate,
  JsonObject,
  ToolDefinition,
  ToolExecution,
} from './model.ts';

/** One problem of one manifest. `line` starts at 1; `path` is empty for the whole file. */
export interface CompileProblem {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly message: string;
}

/** A compiled manifest, or all of its problems. */
export type ManifestResult =
  | { readonly ok: true; readonly connector: Connector }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/**
 * Compiles the text of one `connector.yaml`. `directory` is the name of its directory, which must be the connector's
 * slug; `file` is the file name in problems.
 */
export function compileManifest(
  text: string,
  o: { readonly directory: string; readonly file: string },
): ManifestResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => ({
      file: o.file,
      line: lines.linePos(pos[0]).line,
      path: '',
      // The message continues with an excerpt of the file, which the line number replaces.
      message: message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    }));
    return { ok: false, problems };
  }
  const { connector, problems } = compileDocument(document, o.directory);
  if (connector !== undefined && problems.length === 0) return { ok: true, connector };
  return {
    ok: false,
    problems: problems.map(({ path, message }) => ({
      file: o.file,
      line: lineOf(document, lines, path),
      path: pathText(path),
      message,
    })),
  };
}

function compileDocument(
  document: Document.Parsed,
  directory: string,
): { readonly connector?: Connector; readonly problems: readonly Problem[] } {
  const parsed = manifestSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap(ofUnion).map(({ path, message }) => ({
      path: path.map((step) => (typeof step === 'symbol' ? step.toString() : step)),
      message,
    }));
    return { problems };
  }
  const manifest = parsed.data;
  const unresolved: Problem[] = [];
  const connector = toConnector(manifest, unresolved);
  const problems = [
    ...unresolved,
    ...slugProblems(manifest, directory),
    ...connectorProblems(connector, authoredSchemaCheck()).map(({ path, message }) => ({
      path: manifestPath(path),
      message,
    })),
  ];
  return { connector, problems };
}

function slugProblems({ slug, tools, triggerTypes }: Manifest, directory: string): readonly Problem[] {
  return [
    ...(slug === directory
      ? []
      : [{ path: ['slug'], message: `must be the name of its directory, '${directory}'` }]),
    ...tools.flatMap(({ toolSlug, aliases }, index) =>
      [
        { name: toolSlug, path: ['tools', index, 'toolSlug'] },
        ...aliases.map((name, i) => ({ name, path: ['tools', index, 'aliases', i] })),
      ].flatMap(({ name, path }) =>
        name.startsWith(`${slug}-`)
          ? []
          : [{ path, message: `must begin with '${slug}-', so that slugs do not clash` }],
      ),
    ),
    // Those of the platform itself, which need no connection, have names of their own.
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

function toConnector(manifest: Manifest, unresolved: Problem[]): Connector {
  const { schemas, tools, triggerTypes, authenticationMethods, ...head } = manifest;
  const withHeaders = <T extends HttpRequestTemplate>(request: T): T => ({
    ...request,
    headers: mergeHeaders(head.headers, request.headers),
  });
  const resolve = (schema: JsonObject, path: Problem['path']): JsonObject =>
    inlineSchemas(schema, schemas, (message) => unresolved.push({ path, message }));
  return {
    ...head,
    authenticationMethods: authenticationMethods.map((method) => methodWithHeaders(method, withHeaders)),
    tools: tools.map(({ request, response, handler, version, ...tool }, index): ToolDefinition => {
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
        inputSchema: resolve(tool.inputSchema, ['tools', index, 'inputSchema']),
        outputSchema: resolve(tool.outputSchema, ['tools', index, 'outputSchema']),
        execution,
      };
    }),
    triggerTypes: triggerTypes.map((type, index) => ({
      ...type,
      configSchema: resolve(type.configSchema, ['triggerTypes', index, 'configSchema']),
      payloadSchema: resolve(type.payloadSchema, ['triggerTypes', index, 'payloadSchema']),
      ...mapRecipeRequests(type, withHeaders),
    })),
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

/** The path in the manifest of what is at `path` in the compiled connector. */
function manifestPath(path: Problem['path']): Problem['path'] {
  return path[0] === 'tools' ? path.filter((step, index) => index !== 2 || step !== 'execution') : path;
}

/** The line of the value at `path`, or of its nearest ancestor that the file contains. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Problem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** The problems of the alternative of a union that has the fewest, which is the one that was meant. */
function ofUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [first, ...others] = issue.errors.toSorted((one, other) => one.length - other.length);
  // As many problems: nobody knows which was meant.
  if (first === undefined || others[0]?.length === first.length) return [issue];
  return first.flatMap(ofUnion).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}
