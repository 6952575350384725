import { SERVICE_NAMES } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import type { SupervisedProcess } from './supervisor.ts';

/** From bottom to top: later layers use earlier ones. */
const LAYERS: readonly Layer[] = ['stores', 'samples', ...SERVICE_NAMES, 'gateway', 'balancer'];

export type Layer = 'stores' | 'samples' | ServiceName | 'gateway' | 'balancer';

/** Everything that is running, by layer. */
export interface RunningLayers {
  readonly add: (layer: Layer, process: SupervisedProcess) => void;
  /** Stops everything, the last layer first; after a failure, which is reported, the rest is still stopped. */
  stop(): Promise<void>;
}

/** Layers without any running part yet. */
export function createLayers(report: (line: string) => void): RunningLayers {
  const running = new Map<Layer, SupervisedProcess[]>();
  return {
    add: (layer, process) => {
      running.set(layer, [...(running.get(layer) ?? []), process]);
    },
    stop: async () => {
      for (const layer of LAYERS.toReversed()) {
        const processes = running.get(layer) ?? [];
        running.delete(layer);
        const results = await Promise.allSettled(processes.map((process) => process.stop()));
        for (const result of results) {
          if (result.status === 'rejected') report(`Stopping ${layer} failed: ${String(result.reason)}`);
        }
      }
    },
  };
}
