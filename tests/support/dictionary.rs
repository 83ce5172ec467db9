//! A web archive that is packed in zstd with a dictionary, as constants, because no encoder in Rust
//! uses a dictionary. The archive was made with zstd 1.5.4 from 200 similar records (`<p>page N`).
//! The commands were `zstd --train --maxdict=256`, then `zstd -19 -D DICTIONARY` on each of two
//! more records, and `zstd -19` on the dictionary itself.

/// The zstd dictionary of the archive, in hexadecimal digits.
pub(crate) const DICTIONARY: &str = "\
    37a430ec7da5f3211e10d86ba4030cc3300cc3e09661a1082184904d743235b196d6d6d6d6b60503000000008088d0d90100\
    00040000000000011f6600000000000000000000760800000000007c0000000000f001f8001f000000000000345a28341100\
    000000000000000000000000010000000400000008000000746d6c0d0a0d0a3c703e70616765203135390d0a0d0a57415243\
    2f312e300d0a574152432d547970653a20726573706f6e732d547970653a20746578742f68746d6c0d0a0d0a3c703e706167\
    6520320d0a0d0a574152432f312e300d0a574152432d5479706f6e73650d0a436f6e74656e742d4c656e6774683a2036300d\
    0a0d0a485454";

/// The packed zstd dictionary of the archive, in hexadecimal digits.
pub(crate) const PACKED_DICTIONARY: &str = "\
    28b52ffd640000cd0500340937a430ec7da5f3211e10d86ba4030cc3300cc3e09661a1082184904d743235b196d6b6050300\
    8088d0d90100000400011f660076087cf001f8001f00345a28341100010008000000746d6c0d0a0d0a3c703e706167652031\
    3539574152432f312e302d547970653a20726573706f6e73746578742f6832650d0a436f6e74656e742d4c656e6774683a20\
    36300d0a0d0a4854540f00590300e2bb42e845ccac5a8693098dc003065cde562972df8b4111101c001001e0096b236b46";

/// Packed WARC record of `<p>the first page`, at `https://site.example/first`, in hexadecimal
/// digits.
pub(crate) const FIRST: &str = "\
    28b52ffd277da5f321d58d030022c5121870ad03e0440558da916025facbb8f0a510444a0110ef15164925d58e5db5df2be3\
    d0b504650823de4da9c33a0f7c666074e79f106cb6a34b8e3ae88773b74dff7fda8a4401be1dc4bd040d3005050ad8079ced\
    2e22e0ce58f3696201cc7c016602211daba8f5263842e290fd0aeed6f501";

/// Packed WARC record of `<p>the second page`, at `https://site.example/second`, in hexadecimal
/// digits.
pub(crate) const SECOND: &str = "\
    28b52ffd277da5f321d79503003205131870ad03e0440598e256362d7e68f9fe586754c301a86f8f054925d58f5db5e12be3\
    d0b5980a0823fecd4687759ef8eca27467c6795ccf6de90d471df4c7b9dba6ff436d45a200df0fe25e020d30060712d8079c\
    ed3022e0ce78f3696301cc7c016a02251dcba9f5263842e290fd0ab591d6cd";

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let hex: Vec<u8> = hex.bytes().collect();
    hex.chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Returns a web archive that begins with `dictionary` (hexadecimal digits, packed or not) and has
/// two pages.
pub(crate) fn archive(dictionary: &str) -> Vec<u8> {
    let dictionary = bytes(dictionary);
    let length = u32::try_from(dictionary.len()).unwrap().to_le_bytes();
    [
        &[0x5D, 0x2A, 0x4D, 0x18][..],
        &length,
        &dictionary,
        &bytes(FIRST),
        &bytes(SECOND),
    ]
    .concat()
}
