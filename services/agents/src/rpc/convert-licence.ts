import { LicenceStatus as LicenceMessage } from '@fairlead/contracts/connections/v1/connection_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { LicenceStatus } from '../domain/licence-status.ts';

const LICENCES: Readonly<Record<LicenceStatus, LicenceMessage>> = {
  none: LicenceMessage.NONE,
  active: LicenceMessage.ACTIVE,
  expired: LicenceMessage.EXPIRED,
};

/** The enum's value. */
export function toLicenceMessage(status: LicenceStatus): LicenceMessage {
  return LICENCES[status];
}

/** The status in a message; VALIDATION_ERROR for an unknown value. */
export function fromLicenceMessage(value: LicenceMessage): LicenceStatus {
  const statuses: readonly LicenceStatus[] = ['none', 'active', 'expired'];
  const status = statuses.find((it) => LICENCES[it] === value);
  if (status === undefined) throw validationError({ field: 'licenceStatus', issue: 'is required' });
  return status;
}
