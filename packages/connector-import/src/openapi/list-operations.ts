import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ImportIssue, OperationSelection } from '../import-job.ts';
import { ImportRefusal } from '../import-job.ts';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;
/** Maximum number of operations of an application. */
const MAX_OPERATIONS = 1_000;
const MAX_NAMED_LENGTH = 100;

/** One operation of a document. */
interface DocumentOperation {
  /** Method and path, in the form that callers use: `GET /contacts/{id}`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly raw: JsonObject;
  /** Parameters of the path, which all of its operations have. */
  readonly common: Json | undefined;
  /** Servers of the operation or its path, which replace those of the document. */
  readonly servers: Json | undefined;
}

/** An operation to import, and the caller's settings for it. */
export interface OperationChoice {
  readonly operation: DocumentOperation;
  readonly wanted: OperationSelection | undefined;
}

/** The operations that the caller names; without names, all operations. */
export function chooseOperations(
  document: JsonObject,
  selections: readonly OperationSelection[] | undefined,
): readonly OperationChoice[] {
  const listed = listOperations(document);
  if (selections === undefined) {
    if (listed.length > MAX_OPERATIONS)
      throw new ImportRefusal({
        field: 'operations',
        issue: `the document has ${String(listed.length)} operations: name those that are needed, at most ${String(MAX_OPERATIONS)}`,
      });
    return listed.map((operation) => ({ operation, wanted: undefined }));
  }
  const byId = new Map(listed.map((operation) => [operation.id, operation]));
  const byOperationId = new Map(
    listed.flatMap((operation) =>
      operation.operationId === undefined ? [] : [[operation.operationId, operation] as const],
    ),
  );
  const issues: ImportIssue[] = [];
  const firstOf = new Map<string, number>();
  const chosen = selections.flatMap((each, index) => {
    const field = `operations[${String(index)}]`;
    const operation =
      each.operationId === undefined
        ? byId.get(`${(each.method ?? '').toUpperCase()} ${each.path ?? ''}`)
        : byOperationId.get(each.operationId);
    if (operation === undefined) {
      issues.push(
        each.operationId === undefined
          ? { field: `${field}.path`, issue: `the document has no operation ${named(each)}` }
          : { field: `${field}.operationId`, issue: `the document has no operation ${named(each)}` },
      );
      return [];
    }
    const first = firstOf.get(operation.id);
    if (first !== undefined) {
      issues.push({ field, issue: `names the same operation as operations[${String(first)}]` });
      return [];
    }
    firstOf.set(operation.id, index);
    return [{ operation, wanted: each }];
  });
  if (issues.length > 0) throw new ImportRefusal(...issues);
  return chosen;
}

function named({ operationId, method, path }: OperationSelection): string {
  return (operationId ?? `${(method ?? '').toUpperCase()} ${path ?? ''}`).slice(0, MAX_NAMED_LENGTH);
}

/** The paths whose operations are elsewhere, each with its reference. */
export function referredPaths(
  document: JsonObject,
): readonly { readonly path: string; readonly ref: string }[] {
  return Object.entries(objectOrEmpty(document['paths'])).flatMap(([path, item]) => {
    const ref = objectOrEmpty(item)['$ref'];
    return typeof ref === 'string' ? [{ path, ref }] : [];
  });
}

function listOperations(document: JsonObject): readonly DocumentOperation[] {
  const paths = objectOrEmpty(document['paths']);
  return Object.keys(paths).flatMap((path) => {
    const item = paths[path];
    if (!path.startsWith('/') || !isJsonObject(item)) return [];
    return METHODS.flatMap((name) => {
      const raw = item[name];
      if (!isJsonObject(raw)) return [];
      const method = name.toUpperCase();
      const operationId = raw['operationId'];
      const servers = [raw['servers'], item['servers']].find((each) => isJsonArray(each) && each.length > 0);
      return [
        {
          id: `${method} ${path}`,
          method,
          path,
          operationId: typeof operationId === 'string' && operationId !== '' ? operationId : undefined,
          raw,
          common: item['parameters'],
          servers,
        },
      ];
    });
  });
}
