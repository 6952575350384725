import type { ServiceParts } from '@fairlead/service-kit/lifecycle/start-service';
import type { Egress } from './egress.ts';
import { createGuardedEgress } from './guarded-egress.ts';

/** The guarded HTTP client for addresses that tenants can choose. */
export function openEgress(
  { log, closers }: ServiceParts,
  config: { readonly EGRESS_ALLOW: readonly string[] },
): Egress {
  return closers.add(
    'egress',
    createGuardedEgress({ allow: config.EGRESS_ALLOW, userAgent: 'Fairlead', log }),
  );
}
