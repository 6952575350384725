import { installHelm } from '../helm/support/helm-releases.ts';

/** Downloads Helm before the test files run side by side. */
export default async function setup(): Promise<void> {
  await installHelm();
}
