import { BlockList, isIP } from 'node:net';

/** IPv4 ranges that are not the public internet (IANA special-purpose registry), and the metadata addresses outside them. */
const notPublic4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/** Only global unicast can be public: loopback, unique local, link-local, multicast and the rest lie outside. */
const global6 = blockList('ipv6', [['2000::', 3]]);

/** Parts of global unicast that are not public: protocol assignments with Teredo, documentation, and 6to4. */
const notPublic6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

function blockList(family: 'ipv4' | 'ipv6', subnets: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/**
 * True for an IPv4 or IPv6 address that is not on the public internet: private, loopback, link-local, CGNAT, multicast,
 * unspecified, documentation, reserved and cloud metadata addresses. An IPv4 address inside a mapped (`::ffff:0:0/96`) or
 * NAT64 (`64:ff9b::/96`) address is judged itself; 6to4 and Teredo are refused whole. What is no address is private.
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  if (family === 4) return notPublic4.check(plain, 'ipv4');
  if (family !== 6) return true;
  const embedded = embeddedIpv4(plain);
  if (embedded !== undefined) return notPublic4.check(embedded, 'ipv4');
  return !global6.check(plain, 'ipv6') || notPublic6.check(plain, 'ipv6');
}

const embedding = /^\[(?:::ffff:|64:ff9b::)(?:(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4}))?\]$/;

/** The IPv4 address in the last 32 bits of a mapped or NAT64 address. */
function embeddedIpv4(address: string): string | undefined {
  // The URL parser writes every spelling of an IPv6 address in one way.
  const groups = embedding.exec(new URL(`http://[${address}]`).hostname);
  if (!groups) return undefined;
  const [high, low] = [groups[1], groups[2]].map((group) => Number.parseInt(group ?? '0', 16));
  return [high, low].flatMap((group = 0) => [group >> 8, group & 0xff]).join('.');
}
