import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPrivateAddress } from './private-address.ts';

const octet = fc.integer({ min: 0, max: 255 });

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

function asNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

/** An arbitrary address of a range given as first and last address. */
function within(first: string, last: string): fc.Arbitrary<string> {
  const [min, max] = [asNumber(first), asNumber(last)];
  return fc
    .oneof(
      fc.constantFrom(min, max),
      fc.integer({ min: 0, max: max - min }).map((offset) => min + offset),
    )
    .map(dotted);
}

function hex(address: string): string {
  const value = asNumber(address);
  return `${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}`;
}

const privateRanges: [string, string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];

const publicRanges: [string, string][] = [
  ['1.0.0.0', '9.255.255.255'],
  ['11.0.0.0', '100.63.255.255'],
  ['100.128.0.0', '126.255.255.255'],
  ['169.255.0.0', '172.15.255.255'],
  ['172.32.0.0', '191.255.255.255'],
  ['192.169.0.0', '198.17.255.255'],
  ['203.0.114.0', '223.255.255.255'],
];

describe('isPrivateAddress', () => {
  for (const [first, last] of privateRanges) {
    it(`refuses ${first} to ${last}, also mapped, in NAT64 and in 6to4`, () => {
      fc.assert(
        fc.property(within(first, last), (address) => {
          expect(isPrivateAddress(address)).toBe(true);
          expect(isPrivateAddress(`::ffff:${address}`)).toBe(true);
          expect(isPrivateAddress(`::ffff:${hex(address)}`)).toBe(true);
          expect(isPrivateAddress(`0:0:0:0:0:FFFF:${hex(address)}`)).toBe(true);
          expect(isPrivateAddress(`64:ff9b::${address}`)).toBe(true);
          expect(isPrivateAddress(`2002:${hex(address)}::1`)).toBe(true);
          expect(isPrivateAddress(`::${address}`)).toBe(true);
        }),
      );
    });
  }

  for (const [first, last] of publicRanges) {
    it(`lets ${first} to ${last} pass, also mapped and in NAT64`, () => {
      const address = within(first, last).filter((text) => text !== '168.63.129.16' && !text.startsWith('198.51.100.'));
      fc.assert(
        fc.property(address, (text) => {
          expect(isPrivateAddress(text)).toBe(false);
          expect(isPrivateAddress(`::ffff:${text}`)).toBe(false);
          expect(isPrivateAddress(`64:ff9b::${hex(text)}`)).toBe(false);
        }),
      );
    });
  }

  it('refuses every IPv6 address outside global unicast', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const outside = fc.integer({ min: 0, max: 0xffff }).filter((value) => value >> 13 !== 1 && value !== 0x64);
    fc.assert(
      fc.property(outside, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
        expect(isPrivateAddress([first.toString(16), ...rest].join(':'))).toBe(true);
      }),
    );
  });

  it('knows the special IPv6 addresses', () => {
    const refused = ['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254', 'ff02::1', '2001::1', '2001:db8::1'];
    for (const address of [...refused, '100::1', '64:ff9b:1::1', '64:ff9b::', '::ffff:0:0', 'fec0::1', '3fff::1']) {
      expect(isPrivateAddress(address), address).toBe(true);
    }
    for (const address of ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888', '2400::1']) {
      expect(isPrivateAddress(address), address).toBe(false);
    }
  });

  it('refuses the metadata address of a cloud that is not in a special range', () => {
    expect(isPrivateAddress('168.63.129.16')).toBe(true);
  });

  it('refuses what is no address', () => {
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f.1', ':::', '8.8.8.8 ', '%eth0']) {
      expect(isPrivateAddress(text), text).toBe(true);
    }
  });

  it('gives the same answer for every way to write an IPv4 address in a URL', () => {
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const spellings = [
          `${asNumber(plain)}`,
          `0x${asNumber(plain).toString(16)}`,
          `0${a.toString(8)}.${b}.${c * 256 + d}`,
        ];
        for (const spelling of spellings) {
          expect(isPrivateAddress(new URL(`http://${spelling}/`).hostname)).toBe(isPrivateAddress(plain));
        }
      }),
    );
  });
});
