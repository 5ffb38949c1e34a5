// Gives the pre-compiled LibTorch header a target to live in.
