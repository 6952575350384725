import { fileURLToPath } from 'node:url';

/** Folder of the chart. */
export const CHART = fileURLToPath(new URL('../../../deploy/helm/fairlead', import.meta.url));

/** Path of a file in `deploy/helm/examples`. */
export function exampleFile(name: string): string {
  return fileURLToPath(new URL(`../../../deploy/helm/examples/${name}`, import.meta.url));
}

/** Path of a file in the chart. */
export function chartFile(name: string): string {
  return `${CHART}/${name}`;
}
