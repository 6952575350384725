import type { ImportJob, OpenApiJob, SkippedOperation } from '@fairlead/connector-import/import-job';
import { MAX_DOCUMENT_BYTES } from '@fairlead/connector-import/read-document';
import { CallFailure, OverloadError } from '@fairlead/connector-runtime/failure';
import { ApiError, notFound, overloaded, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { refuseReservedSlug } from '../../domain/imported-slug.ts';
import type { FileFetcher, Files } from '../../ports/files.ts';
import type { ImportedApplications, Importer, PackageDescriptions } from '../../ports/imports.ts';

/** Time limits of fetching, and of the work in a process including its wait. */
const FETCH_MS = 10_000;
const WORK_MS = 15_000;
const WAIT_MS = 5_000;
const MEBIBYTE = 1024 * 1024;
/** The longest name of a package. */
const MAX_NAME = 214;

export type DocumentSource =
  | { readonly kind: 'text'; readonly text: Uint8Array }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly fileId: string };

export type ImportRequest =
  | {
      readonly kind: 'openapi';
      readonly slug: string;
      readonly document: DocumentSource;
      readonly options: Pick<OpenApiJob, 'operations' | 'baseUrl' | 'authentication'>;
    }
  | { readonly kind: 'manifest'; readonly slug: string; readonly manifest: Uint8Array }
  | {
      /** An MCP server or a piece in a package. */
      readonly kind: 'mcp' | 'piece';
      readonly slug: string;
      readonly package: string;
      readonly version: string;
    };

export interface ImportApplicationDeps<A> {
  readonly importer: Importer;
  readonly imported: ImportedApplications<A>;
  readonly packages: PackageDescriptions;
  readonly fileFetcher: FileFetcher;
  readonly files: Pick<Files, 'find' | 'read'>;
  readonly importPermits: Pick<AccountPermits, 'run'>;
  readonly clock: Clock;
}

/** A stored application, and the operations for which no tool was created. */
export interface ImportedApplication<A> {
  readonly application: A;
  readonly skipped: readonly SkippedOperation[];
}

/**
 * Converts a document to an application and stores it as the account's own. VALIDATION_ERROR names the member that has to change; CONFLICT
 * if the slug is taken.
 */
export async function importApplication<A>(
  deps: ImportApplicationDeps<A>,
  ctx: RequestContext,
  request: ImportRequest,
): Promise<ImportedApplication<A>> {
  const accountId = accountOf(ctx);
  refuseReservedSlug(request.slug);
  return deps.importPermits.run(
    { accountId, partition: '', signal: ctx.signal, waitMs: WAIT_MS, heldBytes: () => heldBytesOf(request) },
    async () => {
      const { job, text } = await jobOf(deps, ctx, request);
      const end = await deps.importer.run(accountId, job, text, { signal: ctx.signal, timeoutMs: WORK_MS });
      switch (end.kind) {
        case 'refused':
          throw validationError(...end.issues);
        case 'tooCostly':
          throw validationError({ field: fieldOf(job), issue: COSTS[end.limit] });
        case 'overloaded':
          throw overloaded('Too many imports are in progress. Nothing was imported.');
        case 'imported': {
          const application = await deps.imported.add(ctx, end.encodedConnector);
          return { application, skipped: end.skipped };
        }
      }
    },
  );
}

const COSTS = {
  time: 'takes longer to read than an import may: import fewer operations',
  memory: 'takes more memory to read than an import may: import fewer operations',
} as const;

/** The source that a package of another kind needs. */
const SOURCES = {
  piece: 'must be piece, because the package has a piece',
  mcp: 'must be mcp, because the package has an MCP server',
} as const;

function fieldOf(job: ImportJob): string {
  if (job.kind === 'openapi') return job.field;
  return job.kind === 'manifest' ? 'manifest' : 'package';
}

function heldBytesOf(request: ImportRequest): number {
  if (request.kind === 'manifest') return request.manifest.length;
  if (request.kind !== 'openapi') return 0;
  return request.document.kind === 'text' ? request.document.text.length : 0;
}

async function jobOf(
  deps: ImportApplicationDeps<unknown>,
  ctx: RequestContext,
  request: ImportRequest,
): Promise<{ readonly job: ImportJob; readonly text: Uint8Array }> {
  const { slug } = request;
  if (request.kind === 'manifest') return { job: { kind: 'manifest', slug }, text: request.manifest };
  if (request.kind !== 'openapi') {
    const { package: name, version } = request;
    const { kind, description, fields } = await describe(deps, ctx, request);
    if (kind !== request.kind) throw validationError({ field: 'source', issue: SOURCES[kind] });
    const job = { kind, slug, package: name, version, ...(fields.length > 0 && { fields }) };
    return { job, text: Buffer.from(JSON.stringify(description)) };
  }
  const { document, options } = request;
  const job = (field: OpenApiJob['field']): OpenApiJob => ({ kind: 'openapi', slug, field, ...options });
  switch (document.kind) {
    case 'text':
      return { job: job('document'), text: document.text };
    case 'url': {
      const { url } = document;
      const limits = { maxBytes: MAX_DOCUMENT_BYTES, timeoutMs: FETCH_MS };
      const fetched = await deps.fileFetcher.fetch(ctx, url, limits);
      if (fetched.kind === 'failed')
        throw validationError({ field: 'url', issue: `could not be fetched: ${fetched.reason}` });
      return { job: { ...job('url'), documentUrl: url }, text: fetched.content };
    }
    case 'file':
      return { job: job('fileId'), text: await readFile(deps, ctx, document.fileId) };
  }
}

async function describe(
  { packages }: Pick<ImportApplicationDeps<unknown>, 'packages'>,
  ctx: RequestContext,
  { package: name, version }: { readonly package: string; readonly version: string },
): Promise<NonNullable<Awaited<ReturnType<PackageDescriptions['describe']>>>> {
  const options = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: WORK_MS };
  try {
    const described = await packages.describe({ name, version }, options);
    if (described !== undefined) return described;
  } catch (error) {
    if (error instanceof OverloadError) throw overloaded(error.message);
    if (error instanceof CallFailure) throw validationError({ field: 'package', issue: error.message });
    throw error;
  }
  throw new ApiError(
    'FORBIDDEN',
    `The operator has not allowed the package ${name.slice(0, MAX_NAME)} ${version.slice(0, MAX_NAME)}.`,
  );
}

async function readFile(
  { files, clock }: Pick<ImportApplicationDeps<unknown>, 'files' | 'clock'>,
  ctx: RequestContext,
  fileId: string,
): Promise<Uint8Array> {
  const accountId = accountOf(ctx);
  const file = await files.find(ctx, accountId, fileId, clock.now());
  if (file === undefined) throw notFound('file', fileId);
  if (file.sizeBytes > MAX_DOCUMENT_BYTES)
    throw validationError({
      field: 'fileId',
      issue: `is larger than ${String(MAX_DOCUMENT_BYTES / MEBIBYTE)} MiB`,
    });
  const pieces: Uint8Array[] = [];
  for await (const piece of await files.read(ctx, accountId, fileId)) pieces.push(piece);
  return Buffer.concat(pieces);
}
