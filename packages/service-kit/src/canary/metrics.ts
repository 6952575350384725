import { registry } from '../telemetry/service-metrics.ts';

/** The applied weights. */
export const canaryWeight = registry.gauge({
  name: 'canary_weight',
  help: 'Percentage of accounts whose calls this service sends to the canary of another one; 0 if there is none.',
  labels: ['service'],
});

/** Addresses of canaries. */
export const canaryEndpoints = registry.gauge({
  name: 'canary_endpoints',
  help: 'Addresses of the canary of a service that this service knows.',
  labels: ['service'],
});

/** Calls for a canary that went to stable. */
export const canaryFallbacks = registry.counter({
  name: 'canary_fallbacks_total',
  help: 'Calls for the canary of a service that went to stable, because no address of the canary answers.',
  labels: ['service'],
});

/** Rules that were refused. */
export const rulesRefused = registry.counter({
  name: 'canary_rules_refused_total',
  help: 'Rules of canaries that were refused; the former rules stay.',
  labels: [],
});
