import type { Connector } from '@fairlead/connector-model/model';
import { connectorIssues } from './build-connector.ts';
import { ImportRefusal } from './import-job.ts';
import type { PackageJob, SkippedOperation } from './import-job.ts';

const MAX_NAME = 100;
const MAX_REASON = 300;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/** The application of a package, and the parts of the package that are not in it. */
export interface PackageApplication {
  readonly connector: Connector;
  readonly skipped: readonly SkippedOperation[];
}

/** Leaves out the tools that violate a rule of the catalogue. Throws ImportRefusal if nothing is left, or the rest violates a rule. */
export function withValidTools(connector: Connector, skipped: SkippedOperation[]): PackageApplication {
  const refused = new Map<number, string>();
  for (const { path, message } of connectorIssues(connector)) {
    const [member, index, ...rest] = path;
    if (member !== 'tools' || typeof index !== 'number')
      throw new ImportRefusal({ field: 'package', issue: [...path, message].join(': ') });
    refused.set(index, [...rest, message].join(': '));
  }
  const tools = connector.tools.filter(({ toolSlug }, index) => {
    const reason = refused.get(index);
    if (reason !== undefined) skipped.push(skip(toolSlug, reason));
    return reason === undefined;
  });
  if (tools.length === 0)
    throw new ImportRefusal({ field: 'package', issue: 'has no action that can be a tool' });
  return { connector: { ...connector, tools }, skipped };
}

/** A part of a package that is not in its application. */
export function skip(name: string, reason: string): SkippedOperation {
  return { operationId: name.slice(0, MAX_NAME), method: '', path: '', reason: reason.slice(0, MAX_REASON) };
}

/** The version of a package's application, which has three numbers. */
export function versionOf({ version }: PackageJob): string {
  return VERSION.test(version) ? version : '1.0.0';
}
