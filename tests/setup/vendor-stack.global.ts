import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { digestOfInputs } from '@fairlead/connector-model/catalogue-inputs';
import { compileConnectors, formatProblem } from '@fairlead/connector-model/compile';
import type { TestProject } from 'vitest/node';
import { CONNECTORS, startVendors } from '../catalogue/vendors/support/vendors.ts';
import type { VendorSlug } from '../catalogue/vendors/support/vendors.ts';
import { startStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the vendors' doubles. */
    vendors: Readonly<Record<VendorSlug, string>>;
  }
}

/** Starts a stack with applications whose addresses are those of doubles. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const vendors = await startVendors();
  const data = await mkdtemp(join(tmpdir(), 'fairlead-test-vendors-'));
  const clear = async (): Promise<void> => {
    await vendors.close();
    await rm(data, { recursive: true, force: true });
  };
  try {
    const platform = await compileConnectors(CONNECTORS);
    if (!platform.ok) throw new Error(platform.problems.map(formatProblem).join('\n'));
    // The launcher takes it for a catalogue that is up to date.
    const inputs = await digestOfInputs([CONNECTORS], 'none');
    const connectors = [...platform.connectors, ...vendors.connectors];
    await writeCatalogueFile(join(data, 'catalogue.json'), connectors, inputs);
    const { stack, stop } = await startStack({ data });
    project.provide('stack', stack);
    project.provide('vendors', vendors.urls);
    return async () => {
      await stop();
      await clear();
    };
  } catch (error) {
    await clear();
    throw error;
  }
}
