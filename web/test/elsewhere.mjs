// What is not the same in a page as natively, by the reason.

export const programs = {
  "a page starts no commands": [
    "own/stdlib/files.ez",
    "stdlib-system/e7030_os_exec_cannot_start.ez",
    "stdlib-system/io_permissions.ez",
    "stdlib-system/io_symlinks.ez",
    "stdlib-system/os_exec.ez",
    "stdlib-system/os_exec_environment.ez",
    "stdlib-system/os_exec_output.ez",
  ],
  "a page is another platform, and has no user": [
    "stdlib-system/os_host_user.ez",
    "stdlib-system/os_named_without_call.ez",
    "stdlib-system/os_platform.ez",
    "stdlib-system/os_using_bare.ez",
  ],
  "chains of operators are at most 2,000 long": ["own/syntax/long_chains.ez"],
};

export const transcripts = {
  "recordings are files of the system": ["v2_unreadable"],
};
