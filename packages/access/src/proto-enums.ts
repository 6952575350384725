import { DefaultLicence as LicenceMessage } from '@fairlead/contracts/identity/v1/account_pb';
import { Role as RoleMessage } from '@fairlead/contracts/identity/v1/user_pb';
import type { DefaultLicence } from './default-licence.ts';
import type { Role } from './permissions.ts';

/** The protobuf value of each role. */
export const ROLE_VALUES = {
  owner: RoleMessage.OWNER,
  admin: RoleMessage.ADMIN,
  developer: RoleMessage.DEVELOPER,
  member: RoleMessage.MEMBER,
} as const satisfies Record<Role, RoleMessage>;

/** The protobuf value of each licence of new connections. */
export const DEFAULT_LICENCE_VALUES = {
  active: LicenceMessage.ACTIVE,
  none: LicenceMessage.NONE,
} as const satisfies Record<DefaultLicence, LicenceMessage>;
