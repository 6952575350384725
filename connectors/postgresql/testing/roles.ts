/** Password of every user below. */
export const USER_PASSWORD = 'a-password';

const user = (name: string, options = ''): string =>
  `CREATE ROLE ${name} LOGIN ${options} PASSWORD '${USER_PASSWORD}';\n\n`;

/**
 * SQL for a server's `initialSql`: a table, a user with read access only, and users with privileges whose effects no transaction can undo.
 */
export const ROLES_SQL = [
  'CREATE TABLE ones AS SELECT 1 AS n;\n\n',
  'SET SESSION AUTHORIZATION postgres;\n\n',
  user('reader'),
  'GRANT pg_read_all_data, pg_monitor TO reader;\n\n',
  user('late'),
  user('boss', 'SUPERUSER'),
  user('deputy'),
  'GRANT boss TO deputy;\n\n',
  'CREATE ROLE copiers REPLICATION;\n\n',
  user('copier'),
  'GRANT copiers TO copier;\n\n',
  'CREATE ROLE signallers;\n\n',
  'GRANT pg_signal_backend TO signallers;\n\n',
  user('signaller', 'NOINHERIT'),
  'GRANT signallers TO signaller;\n\n',
  user('writer'),
  'GRANT pg_write_server_files, pg_execute_server_program TO writer;\n\n',
].join('');
