import { encodeConnector } from '@fairlead/connector-model/codec';
import { MAX_CONNECTOR_BYTES } from '@fairlead/connector-model/limits';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import { importManifest } from './import-manifest.ts';
import { ImportRefusal } from './import-job.ts';
import type { ImportAnswer, ImportJob } from './import-job.ts';
import { importOpenApi } from './openapi/import-openapi.ts';
import { importPiece } from './piece/import-piece.ts';
import { readDocument } from './read-document.ts';
import { importServer } from './server/import-server.ts';

const QUOTE = 0x22;
const MAX_ISSUES = 50;

/** The result of an import: the answer, and the bytes of the application. */
export interface ImportEnd {
  readonly answer: ImportAnswer;
  readonly application?: Uint8Array;
}

/** Runs a job over the text that came with it. Expected failures are answers. */
export function runImport(job: ImportJob, bytes: Uint8Array): ImportEnd {
  try {
    const { connector, skipped } = applicationOf(job, bytes);
    return { answer: { kind: 'imported', skipped: [...skipped] }, application: encoded(connector, job) };
  } catch (error) {
    if (error instanceof ImportRefusal) return refused(error);
    // Through references, a document can nest deeper than its text.
    if (error instanceof RangeError)
      return refused(new ImportRefusal({ field: fieldOf(job), issue: 'is nested too deep' }));
    throw error;
  }
}

function applicationOf(job: ImportJob, bytes: Uint8Array): ReturnType<typeof importOpenApi> {
  switch (job.kind) {
    case 'openapi':
      return importOpenApi(readDocument(bytes, { field: job.field, isYamlAllowed: true }), job);
    case 'manifest':
      return { connector: importManifest(readManifest(bytes), job.slug), skipped: [] };
    case 'piece':
      return importPiece(readDocument(bytes, { field: 'package', isYamlAllowed: false }), job);
    case 'mcp':
      return importServer(readDocument(bytes, { field: 'package', isYamlAllowed: false }), job);
  }
}

/** A manifest as a JSON object, or as a YAML text in a JSON string. */
function readManifest(bytes: Uint8Array): JsonObject {
  if (bytes[0] !== QUOTE) return readDocument(bytes, { field: 'manifest', isYamlAllowed: false });
  const text: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return readDocument(Buffer.from(String(text)), { field: 'manifest', isYamlAllowed: true });
}

function refused({ issues }: ImportRefusal): ImportEnd {
  return { answer: { kind: 'refused', issues: issues.slice(0, MAX_ISSUES) } };
}

function encoded(connector: Connector, job: ImportJob): Uint8Array {
  const application = encodeConnector(connector, Buffer.from(JSON.stringify(connector.tools)));
  if (application.length <= MAX_CONNECTOR_BYTES) return application;
  throw new ImportRefusal({
    field: job.kind === 'openapi' ? 'operations' : fieldOf(job),
    issue: `the application is larger than ${String(MAX_CONNECTOR_BYTES / 1024 / 1024)} MiB: import fewer operations`,
  });
}

function fieldOf(job: ImportJob): string {
  if (job.kind === 'openapi') return job.field;
  return job.kind === 'manifest' ? 'manifest' : 'package';
}
