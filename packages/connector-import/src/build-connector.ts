import { ofUnion, toConnector } from '@fairlead/connector-model/compile-manifest';
import { connectorProblems } from '@fairlead/connector-model/gates/connector';
import { pathText } from '@fairlead/connector-model/gates/problem';
import type { Problem } from '@fairlead/connector-model/gates/problem';
import { foreignSchemaCheck } from '@fairlead/connector-model/gates/schemas';
import { manifestSchema } from '@fairlead/connector-model/manifest';
import type { Connector } from '@fairlead/connector-model/model';
import type { ManifestTool } from '@fairlead/connector-model/schema/manifest-tool';
import type { z } from 'zod';
import { ImportRefusal } from './import-job.ts';

/** The members of a manifest that an importer writes, apart from its tools. */
export type ManifestMembers = Omit<
  z.input<typeof manifestSchema>,
  'tools' | 'source' | 'operations' | 'icon' | 'hosts'
>;

/** Builds the connector from an importer's manifest and these tools. */
export function buildConnector(members: ManifestMembers, tools: readonly ManifestTool[]): Connector {
  const parsed = manifestSchema.safeParse(members);
  if (parsed.success) {
    const { source: _source, operations: _operations, ...manifest } = parsed.data;
    return toConnector({ ...manifest, tools: [...tools] }, []);
  }
  throw new ImportRefusal(
    ...parsed.error.issues.flatMap(ofUnion).map(({ path, message }) => ({
      field: pathText(path.map((step) => (typeof step === 'symbol' ? step.toString() : step))),
      issue: message,
    })),
  );
}

/** The catalogue rules for imported connectors that this connector violates. */
export function connectorIssues(connector: Connector): readonly Problem[] {
  return connectorProblems(connector, foreignSchemaCheck);
}
