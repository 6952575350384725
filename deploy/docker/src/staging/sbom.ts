import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { LockedPackages } from './lock-file.ts';

const bomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/** A bill of materials in CycloneDX JSON, as written by npm. */
export type BillOfMaterials = z.infer<typeof bomSchema>;

const MAX_BYTES = 64 * 1024 * 1024;

/** The bill of materials of everything in the lock file of `root`, as written by `npm sbom`. */
export async function npmBillOfMaterials(root: string): Promise<BillOfMaterials> {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: MAX_BYTES });
  return bomSchema.parse(JSON.parse(stdout));
}

/**
 * The part of a bill of materials about these folders. Without serial number, time and folder name, so that equal packages give equal
 * texts.
 */
export function billOf(
  bom: BillOfMaterials,
  packages: LockedPackages,
  folders: readonly string[],
): Record<string, unknown> {
  const kept = new Set(folders.map((folder) => referenceOf(packages, folder)));
  const { serialNumber: _number, ...rest } = bom;
  const { timestamp: _time, ...metadata } = bom.metadata;
  const root = metadata.component['bom-ref'];
  return {
    ...rest,
    metadata: { ...metadata, component: { ...metadata.component, name: 'fairlead' } },
    components: bom.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => ref === root || kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) })),
  };
}

function referenceOf(packages: LockedPackages, folder: string): string {
  const locked = packages.get(folder);
  const name = locked?.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `${name}@${locked?.version ?? ''}`;
}
