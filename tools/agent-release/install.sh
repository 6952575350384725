#!/bin/sh
# Installs, updates or rolls back the on-prem agent of Fairlead as a service of systemd.
set -eu
umask 022

USAGE='Usage:
  install.sh --url <address> --token-file <file> [--name <name>] [--root <dir>]   install, or update the program
  install.sh rollback [--root <dir>]                                              go back to the version before

--url         address of the platform, such as https://fairlead.example.com
--token-file  file with the token of the agent; "-" reads it from standard input
--name        name of the service on this machine: fairlead-agent@<name>. Default: main. A machine may run several agents.
--root        put the files below this folder instead of /
'

fail() { echo "install.sh: $1" >&2; exit 1; }

action=install url='' token_file='' name=main root=''
[ "${1:-}" = rollback ] && { action=rollback; shift; }
while [ $# -gt 0 ]; do
  case $1 in
    --help) printf '%s' "$USAGE"; exit 0 ;;
    --url|--token-file|--name|--root)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in --url) url=${2%/} ;; --token-file) token_file=$2 ;; --name) name=$2 ;; --root) root=${2%/} ;; esac
      shift 2 ;;
    *) printf '%s' "$USAGE" >&2; fail "unknown argument: $1" ;;
  esac
done
case $name in ''|*[!a-z0-9-]*) fail '--name has lower-case letters, digits and hyphens' ;; esac

USER_NAME=fairlead-agent
OPT=$root/opt/fairlead-agent
ETC=$root/etc/fairlead-agent
UNIT=$root/etc/systemd/system/fairlead-agent@.service

# Points a link to another version in one step.
point() { ln -sfn "$2" "$1.new" && mv -fT "$1.new" "$1"; }

restart_all() {
  for config in "$ETC"/*.yaml; do
    [ -e "$config" ] || continue
    of=${config##*/}
    systemctl restart "fairlead-agent@${of%.yaml}"
  done
}

rollback() {
  [ -L "$OPT/previous" ] || fail 'there is no version before this one'
  current=$(readlink "$OPT/current") previous=$(readlink "$OPT/previous")
  point "$OPT/current" "$previous"
  point "$OPT/previous" "$current"
  restart_all
  echo "The agent is ${previous#versions/} again."
}

# Reads a member of a flat JSON object that holds no escapes: the record of a release.
member() { printf '%s' "$2" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

download() {
  case $(uname -m) in
    x86_64|amd64) platform=linux-x64 ;;
    aarch64|arm64) platform=linux-arm64 ;;
    *) fail "there is no agent for $(uname -m)" ;;
  esac
  record=$(curl -fsS "$url/v1/on-prem-agents/releases/latest?platform=$platform") || fail "$url does not answer"
  [ "$(member degraded "$record")" = false ] || fail 'no installer has been built on the platform: run npm run agent:release there'
  version=$(member version "$record") sha256=$(member sha256 "$record") address=$(member url "$record")
  case $version$sha256 in *[!0-9A-Za-z.-]*|'') fail 'the record of the release is not valid' ;; esac
  [ ${#sha256} -eq 64 ] || fail 'the record of the release has no checksum'
  id=$version-$(printf '%.12s' "$sha256")
  folder=$OPT/versions/$id
  mkdir -p "$OPT/versions"
  staging=$(mktemp -d "$OPT/versions/.fetching-XXXXXX")
  trap 'rm -rf "$staging"' EXIT
  curl -fsS -o "$staging/fairlead-agent" "$address" || fail "$address cannot be downloaded"
  echo "$sha256  $staging/fairlead-agent" | sha256sum -c --status || fail 'the checksum of the download is wrong; nothing was changed'
  chmod 0755 "$staging" "$staging/fairlead-agent"
  rm -rf "$folder"
  mv -T "$staging" "$folder"
}

create_user() {
  getent passwd "$USER_NAME" >/dev/null && return
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$USER_NAME"
}

# A file that only the agent may read: it is never readable by others, not even for a moment.
write_private() {
  (umask 077 && cat >"$1.new")
  chown "$USER_NAME:$USER_NAME" "$1.new"
  mv -f "$1.new" "$1"
}

write_unit() {
  mkdir -p "${UNIT%/*}"
  cat >"$UNIT" <<UNIT_END
[Unit]
Description=Fairlead on-prem agent (%i)
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=$USER_NAME
Group=$USER_NAME
ExecStart=/opt/fairlead-agent/current/fairlead-agent --config /etc/fairlead-agent/%i.yaml
Restart=on-failure
RestartSec=5
# Wrong configuration, refused token, replaced by another process: starting again would change nothing.
RestartPreventExitStatus=2 77 78
TimeoutStopSec=40
LogsDirectory=fairlead-agent/%i
LogsDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
UNIT_END
  chmod 0644 "$UNIT"
}

install_agent() {
  case $url in
    *[!A-Za-z0-9:/._~%-]*) fail '--url has characters that an address of the platform has not' ;;
    https://?*|http://127.0.0.1|http://127.0.0.1[:/]*|http://localhost|http://localhost[:/]*) ;;
    *) fail '--url has to begin with https://' ;;
  esac
  [ -n "$token_file" ] || fail '--token-file is missing'
  if [ "$token_file" = - ]; then token=$(cat); else token=$(cat "$token_file"); fi
  case $token in opa_*) ;; *) fail "$token_file holds no token of an agent: it begins with opa_" ;; esac
  download
  create_user
  mkdir -p "$ETC"
  chmod 0755 "$ETC"
  printf '%s\n' "$token" | write_private "$ETC/$name.token"
  # The configuration belongs to the people of this machine: an update keeps it.
  if [ ! -e "$ETC/$name.yaml" ]; then
    printf 'url: %s\ntokenFile: /etc/fairlead-agent/%s.token\nlogs: { directory: /var/log/fairlead-agent/%s }\n' "$url" "$name" "$name" | write_private "$ETC/$name.yaml"
  fi
  write_unit
  former=$(readlink "$OPT/current" 2>/dev/null || true)
  if [ -n "$former" ] && [ "$former" != "versions/$id" ]; then point "$OPT/previous" "$former"; fi
  point "$OPT/current" "versions/$id"
  # Only the current version and the one before are kept.
  for kept in "$OPT"/versions/*; do
    of=versions/${kept##*/}
    [ "$of" = "$(readlink "$OPT/current")" ] || [ "$of" = "$(readlink "$OPT/previous" 2>/dev/null || true)" ] || rm -rf "$kept"
  done
  mkdir -p "$root/usr/local/bin"
  point "$root/usr/local/bin/fairlead-agent" /opt/fairlead-agent/current/fairlead-agent
  systemctl daemon-reload
  systemctl enable "fairlead-agent@$name"
  restart_all
  echo "The agent $version runs as fairlead-agent@$name. Its configuration is $ETC/$name.yaml."
}

if [ "$action" = rollback ]; then rollback; else install_agent; fi
