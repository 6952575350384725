import type { OpenApiDocument, OperationObject } from '@fairlead/rest-kit/openapi/document';
import type { CodeSample, ExampleRequest, OperationExample } from '@fairlead/rest-kit/openapi/examples';
import { format, resolveConfig } from 'prettier';
import type { ClientModel } from './client-model.ts';
import { snakeCase } from './naming.ts';
import { pythonArgument } from './python-client.ts';
import { pythonLiteral } from './python-literal.ts';

/** The document and model to sample, and the examples by operation id. */
export interface SampleSources {
  readonly document: OpenApiDocument;
  readonly model: ClientModel;
  readonly examples: Readonly<Record<string, OperationExample>>;
  /** Address of the API in the samples. */
  readonly publicUrl: string;
}

/** An operation with its example's request, and the clients' method that sends it. */
interface Sample {
  readonly method: string;
  readonly path: string;
  readonly request: ExampleRequest;
  /** `tools`, `execute`. */
  readonly call: readonly [resource: string, method: string];
  /** Environment variable of the key; undefined: no key is needed. */
  readonly key: 'FAIRLEAD_API_KEY' | 'FAIRLEAD_OPERATOR_KEY' | undefined;
  readonly hasResult: boolean;
  readonly publicUrl: string;
}

/** Samples for curl and for our clients, for each operation with an example. */
export async function codeSamples({
  document,
  model,
  examples,
  publicUrl,
}: SampleSources): Promise<Readonly<Record<string, readonly CodeSample[]>>> {
  const calls = new Map(
    model.resources.flatMap(({ property, operations }) =>
      operations.map(
        ({ name, method, path }) => [[method, path].join(' '), [property, name] as const] as const,
      ),
    ),
  );
  const samples: Record<string, readonly CodeSample[]> = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [name, operation] of Object.entries(methods)) {
      const method = name.toUpperCase();
      const example = examples[operation.operationId];
      if (example === undefined) continue;
      const call = calls.get(`${method} ${path}`) ?? transferOf(operation);
      const sample = {
        method,
        path,
        call,
        publicUrl,
        key: keyOf(operation),
        request: example.request,
        hasResult: example.response !== undefined,
      };
      samples[operation.operationId] = [
        { lang: 'Shell', label: 'curl', source: curl(sample) },
        { lang: 'TypeScript', label: 'TypeScript', source: await typescript(sample) },
        { lang: 'Python', label: 'Python', source: python(sample) },
      ];
    }
  }
  return samples;
}

/** Methods for operations that transfer files are written by hand. */
function transferOf({ operationId }: OperationObject): Sample['call'] {
  if (operationId === 'uploadFile') return ['files', 'upload'];
  if (operationId === 'downloadFile') return ['files', 'download'];
  if (operationId === 'downloadOnPremAgentLogs') return ['onPremAgents', 'downloadLogs'];
  throw new Error(`The clients have no method for ${operationId}.`);
}

function keyOf({ security }: OperationObject): Sample['key'] {
  if (security?.length === 0) return undefined;
  return security?.some((scheme) => 'operator' in scheme) === true
    ? 'FAIRLEAD_OPERATOR_KEY'
    : 'FAIRLEAD_API_KEY';
}

function curl({ method, path, request, key, publicUrl }: Sample): string {
  const { params = {}, query = {}, body, content } = request;
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const url = `${publicUrl}${address}${text.size === 0 ? '' : `?${text.toString()}`}`;
  const type = content?.type ?? (body === undefined ? undefined : 'application/json');
  const data = content?.text ?? (body === undefined ? undefined : JSON.stringify(body, null, 2));
  const isPlain = method === (data === undefined ? 'GET' : 'POST');
  return [
    `curl ${isPlain ? '' : `-X ${method} `}${quoted(url)}`,
    ...(key === undefined ? [] : [`-H "x-api-key: $${key}"`]),
    ...(type === undefined ? [] : [`-H ${quoted(`content-type: ${type}`)}`]),
    ...(data === undefined ? [] : [`--data-binary ${quoted(data)}`]),
  ].join(' \\\n  ');
}

/** In quotes of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function typescript(sample: Sample): Promise<string> {
  const { request, key = 'FAIRLEAD_API_KEY', publicUrl, call, hasResult } = sample;
  const { params = {}, query, body, content } = request;
  const members = content === undefined ? { ...body, ...query } : { ...query, contentType: content.type };
  // A download needs no token: the client sends its key.
  const isDownload = call.join('.') === 'files.download';
  const values = [
    ...Object.values(params).map((value) => JSON.stringify(value)),
    ...(content === undefined ? [] : [`new Blob([${JSON.stringify(content.text)}])`]),
    ...(Object.keys(members).length === 0 || isDownload ? [] : [JSON.stringify(members)]),
  ];
  const callCode = `await client.${call.join('.')}(${values.join(', ')});`;
  const isArchive = isArchiveOf(sample);
  const used = isArchive
    ? `const archive = ${callCode}\nawait archive.pipeTo(Writable.toWeb(createWriteStream('logs.zip')));`
    : hasResult
      ? `const result = ${callCode}\nconsole.log(result);`
      : callCode;
  const source = `${isArchive ? "import { createWriteStream } from 'node:fs';\nimport { Writable } from 'node:stream';\n" : ''}import { Fairlead } from '@fairlead/sdk';

const client = new Fairlead({ baseUrl: '${publicUrl}', apiKey: process.env.${key}! });
${used}
`;
  const config = await resolveConfig(import.meta.filename);
  return (await format(source, { ...config, printWidth: 80, parser: 'typescript' })).trimEnd();
}

/** Whether the result is an archive, which programs save to a file. */
function isArchiveOf({ call }: Sample): boolean {
  return call.join('.') === 'onPremAgents.downloadLogs';
}

function python(sample: Sample): string {
  const { request, key = 'FAIRLEAD_API_KEY', publicUrl, call, hasResult } = sample;
  const { params = {}, query = {}, body, content } = request;
  const [resource, method] = call;
  const isDownload = call.join('.') === 'files.download';
  const values = [
    ...Object.values(params).map((value) => pythonLiteral(value, 4)),
    ...(content === undefined ? [] : [`${JSON.stringify(content.text)}.encode()`]),
    ...(body === undefined ? [] : [pythonLiteral(body, 4)]),
    ...(isDownload
      ? []
      : Object.entries(query).map(([name, value]) => `${pythonArgument(name)}=${pythonLiteral(value, 4)}`)),
    ...(content === undefined ? [] : [`content_type=${JSON.stringify(content.type)}`]),
  ];
  const callCode = `client.${snakeCase(resource)}.${snakeCase(method)}(${values.join(', ')})`;
  const use = isDownload
    ? [`    with ${callCode} as download:`, '        print(b"".join(download.content).decode())']
    : isArchiveOf(sample)
      ? [
          `    with ${callCode} as archive, open("logs.zip", "wb") as file:`,
          '        file.writelines(archive)',
        ]
      : hasResult
        ? [`    result = ${callCode}`, '    print(result)']
        : [`    ${callCode}`];
  return [
    'import os',
    '',
    'from fairlead import Fairlead',
    '',
    `with Fairlead("${publicUrl}", api_key=os.environ["${key}"]) as client:`,
    ...use,
  ].join('\n');
}
