# Names and values of Gurobi 13: constants, statuses, parameters with their defaults, attributes.
# Facts about the interface; what of it works here is decided in _model.py.

CONSTANTS = {
    "BARHOMOGENEOUS_AUTO": -1, "BARHOMOGENEOUS_OFF": 0, "BARHOMOGENEOUS_ON": 1, "BARORDER_AMD": 0,
    "BARORDER_AUTOMATIC": -1, "BARORDER_NESTEDDISSECTION": 1, "BASIC": 0, "BINARY": "B",
    "CONTINUOUS": "C", "CUTOFF": 6, "CUTS_AGGRESSIVE": 2, "CUTS_AUTO": -1, "CUTS_CONSERVATIVE": 1,
    "CUTS_OFF": 0, "CUTS_VERYAGGRESSIVE": 3, "EQUAL": "=", "FEASRELAX_CARDINALITY": 2,
    "FEASRELAX_LINEAR": 0, "FEASRELAX_QUADRATIC": 1, "GENCONSTR_ABS": 2, "GENCONSTR_AND": 3,
    "GENCONSTR_COS": 16, "GENCONSTR_EXP": 10, "GENCONSTR_EXPA": 11, "GENCONSTR_INDICATOR": 7,
    "GENCONSTR_LOG": 12, "GENCONSTR_LOGA": 13, "GENCONSTR_LOGISTIC": 18, "GENCONSTR_MAX": 0,
    "GENCONSTR_MIN": 1, "GENCONSTR_NL": 6, "GENCONSTR_NORM": 5, "GENCONSTR_OR": 4,
    "GENCONSTR_POLY": 9, "GENCONSTR_POW": 14, "GENCONSTR_PWL": 8, "GENCONSTR_SIN": 15,
    "GENCONSTR_TAN": 17, "GREATER_EQUAL": ">", "INFEASIBLE": 3, "INFINITY": 1e+100, "INF_OR_UNBD":
    4, "INPROGRESS": 14, "INTEGER": "I", "INTERRUPTED": 11, "ITERATION_LIMIT": 7, "LESS_EQUAL":
    "<", "LOADED": 1, "LOCALLY_INFEASIBLE": 19, "LOCALLY_OPTIMAL": 18, "MAXIMIZE": -1, "MAXINT":
    2000000000, "MEM_LIMIT": 17, "METHOD_AUTO": -1, "METHOD_BARRIER": 2, "METHOD_CONCURRENT": 3,
    "METHOD_DETERMINISTIC_CONCURRENT": 4, "METHOD_DETERMINISTIC_CONCURRENT_SIMPLEX": 5,
    "METHOD_DUAL": 1, "METHOD_NONE": -1, "METHOD_PDHG": 6, "METHOD_PRIMAL": 0, "MINIMIZE": 1,
    "MIPFOCUS_BALANCED": 0, "MIPFOCUS_BESTBOUND": 3, "MIPFOCUS_FEASIBILITY": 1,
    "MIPFOCUS_OPTIMALITY": 2, "NODE_LIMIT": 8, "NONBASIC_LOWER": -1, "NONBASIC_UPPER": -2,
    "NUMERIC": 12, "OPTIMAL": 2, "PARTITION_CLEANUP": 1, "PARTITION_EARLY": 16, "PARTITION_NODES":
    2, "PARTITION_ROOTEND": 4, "PARTITION_ROOTSTART": 8, "PHASE_MIP_IMPROVE": 2,
    "PHASE_MIP_NOREL": 0, "PHASE_MIP_SEARCH": 1, "PRESOLVE_AGGRESSIVE": 2, "PRESOLVE_AUTO": -1,
    "PRESOLVE_CONSERVATIVE": 1, "PRESOLVE_OFF": 0, "SEMICONT": "S", "SEMIINT": "N",
    "SIMPLEXPRICING_AUTO": -1, "SIMPLEXPRICING_DEVEX": 2, "SIMPLEXPRICING_PARTIAL": 0,
    "SIMPLEXPRICING_STEEPEST_EDGE": 1, "SIMPLEXPRICING_STEEPEST_QUICK": 3, "SOLUTION_LIMIT": 10,
    "SOS_TYPE1": 1, "SOS_TYPE2": 2, "SUBOPTIMAL": 13, "SUPERBASIC": -3, "TIME_LIMIT": 9,
    "UNBOUNDED": 5, "UNDEFINED": 1e+101, "USER_OBJ_LIMIT": 15, "VARBRANCH_AUTO": -1,
    "VARBRANCH_MAX_INFEAS": 2, "VARBRANCH_PSEUDO_REDUCED": 0, "VARBRANCH_PSEUDO_SHADOW": 1,
    "VARBRANCH_STRONG": 3, "WORK_LIMIT": 16,
}

STATUSES = {
    "CUTOFF": 6, "INFEASIBLE": 3, "INF_OR_UNBD": 4, "INPROGRESS": 14, "INTERRUPTED": 11,
    "ITERATION_LIMIT": 7, "LOADED": 1, "LOCALLY_INFEASIBLE": 19, "LOCALLY_OPTIMAL": 18,
    "MEM_LIMIT": 17, "NODE_LIMIT": 8, "NUMERIC": 12, "OPTIMAL": 2, "SOLUTION_LIMIT": 10,
    "SUBOPTIMAL": 13, "TIME_LIMIT": 9, "UNBOUNDED": 5, "USER_OBJ_LIMIT": 15, "WORK_LIMIT": 16,
}

PARAMETERS = {
    "AggFill": -1, "Aggregate": 1, "BQPCuts": -1, "BarConvTol": 1e-08, "BarCorrectors": -1,
    "BarHomogeneous": -1, "BarIterLimit": 1000, "BarOrder": -1, "BarQCPConvTol": 1e-06,
    "BestBdStop": float("inf"), "BestObjStop": float("-inf"), "BranchDir": 0, "CliqueCuts": -1, "ConcurrentMIP": 1,
    "ConcurrentMethod": -1, "CoverCuts": -1, "Crossover": -1, "CrossoverBasis": -1,
    "CutAggPasses": -1, "CutPasses": -1, "Cutoff": float("inf"), "Cuts": -1, "DegenMoves": -1,
    "Disconnected": -1, "DisplayInterval": 5, "DualImpliedCuts": -1, "DualReductions": 1,
    "FeasRelaxBigM": 1000000.0, "FeasibilityTol": 1e-06, "FixVarsInIndicators": 0,
    "FlowCoverCuts": -1, "FlowPathCuts": -1, "FuncMaxVal": 1000000.0, "FuncNonlinear": 1,
    "FuncPieceError": 0.001, "FuncPieceLength": 0.01, "FuncPieceRatio": -1.0, "FuncPieces": 0,
    "GUBCoverCuts": -1, "GomoryPasses": -1, "IISMethod": -1, "IgnoreNames": 0, "ImpliedCuts": -1,
    "ImproveStartGap": 0.0, "ImproveStartNodes": float("inf"), "ImproveStartTime": float("inf"), "ImproveStartWork":
    float("inf"), "InfProofCuts": -1, "InfUnbdInfo": 0, "InheritParams": -1, "IntFeasTol": 1e-05,
    "IntegralityFocus": 0, "IterationLimit": float("inf"), "JSONSolDetail": 0, "LPWarmStart": -1,
    "LazyConstraints": 0, "LiftProjectCuts": -1, "LogFile": "", "LogToConsole": 1, "MIPFocus": 0,
    "MIPGap": 0.0001, "MIPGapAbs": 1e-10, "MIPSepCuts": -1, "MIQCPMethod": -1, "MIRCuts": -1,
    "MarkowitzTol": 0.0078125, "MasterKnapsackCuts": -1, "MemLimit": float("inf"), "Method": -1,
    "MinRelNodes": -1, "MixingCuts": -1, "ModKCuts": -1, "MultiObjMethod": -1, "MultiObjPre": -1,
    "NLBarCFeasTol": 1e-08, "NLBarDFeasTol": 1e-06, "NLBarIterLimit": 1000, "NLBarPFeasTol":
    1e-06, "NLPHeur": -1, "NetworkAlg": -1, "NetworkCuts": -1, "NoRelHeurSolutions": 0,
    "NoRelHeurTime": 0.0, "NoRelHeurWork": 0.0, "NodeLimit": float("inf"), "NodeMethod": -1, "NodefileDir":
    ".", "NodefileStart": float("inf"), "NonConvex": -1, "NormAdjust": -1, "NumericFocus": 0, "OBBT": -1,
    "ObjNumber": 0, "ObjPassNumber": -1, "ObjScale": 0.0, "OptimalityTarget": -1, "OptimalityTol":
    1e-06, "OutputFlag": 1, "PDHGAbsTol": 1e-06, "PDHGConvTol": 1e-06, "PDHGGPU": 0,
    "PDHGIterLimit": float("inf"), "PDHGRelTol": 1e-06, "PSDCuts": -1, "PSDTol": 1e-06, "PartitionPlace":
    15, "PerturbValue": 0.0002, "PoolGap": float("inf"), "PoolGapAbs": float("inf"), "PoolSearchMode": 0,
    "PoolSolutions": 10, "PreCrush": 0, "PreDepRow": -1, "PreDual": -1, "PreMIQCPForm": -1,
    "PrePasses": -1, "PreQLinearize": -1, "PreSOS1BigM": -1.0, "PreSOS1Encoding": -1,
    "PreSOS2BigM": -1.0, "PreSOS2Encoding": -1, "PreSparsify": -1, "Presolve": -1,
    "ProjImpliedCuts": -1, "PumpPasses": -1, "QCPDual": 0, "Quad": -1, "RINS": -1, "RLTCuts": -1,
    "Record": 0, "RelaxLiftCuts": -1, "ResultFile": "", "ScaleFlag": -1, "ScenarioNumber": 0,
    "Seed": 0, "SiftMethod": -1, "Sifting": -1, "SimplexPricing": -1, "SoftMemLimit": float("inf"),
    "SolFiles": "", "SolutionLimit": 2000000000, "SolutionNumber": 0, "SolutionTarget": -1,
    "StartNodeLimit": -1, "StartNumber": 0, "StartTimeLimit": float("inf"), "StartWorkLimit": float("inf"),
    "StrongCGCuts": -1, "SubMIPCuts": -1, "SubMIPNodes": 500, "Symmetry": -1, "TSPort": 41954,
    "ThreadLimit": 0, "Threads": 0, "TimeLimit": float("inf"), "UpdateMode": 1, "VarBranch": -1,
    "WorkLimit": float("inf"), "WorkerPool": "", "ZeroHalfCuts": -1, "ZeroObjNodes": -1,
}

ATTRIBUTES = (
    "BarIterCount", "BarPi", "BarStatus", "BarX", "BatchErrorCode", "BatchErrorMessage",
    "BatchID", "BatchStatus", "BoundSVio", "BoundSVioIndex", "BoundSVioSum", "BoundVio",
    "BoundVioIndex", "BoundVioSum", "BranchPriority", "CBasis", "CTag", "ComplVio",
    "ComplVioIndex", "ComplVioSum", "ConcurrentWinMethod", "ConstrName", "ConstrResidual",
    "ConstrResidualIndex", "ConstrResidualSum", "ConstrSResidual", "ConstrSResidualIndex",
    "ConstrSResidualSum", "ConstrSVio", "ConstrSVioIndex", "ConstrSVioSum", "ConstrVio",
    "ConstrVioIndex", "ConstrVioSum", "DNumNZs", "DStart", "DualResidual", "DualResidualIndex",
    "DualResidualSum", "DualSResidual", "DualSResidualIndex", "DualSResidualSum", "DualSVio",
    "DualSVioIndex", "DualSVioSum", "DualVio", "DualVioIndex", "DualVioSum", "FarkasDual",
    "FarkasProof", "Fingerprint", "FuncNonlinear", "FuncPieceError", "FuncPieceLength",
    "FuncPieceRatio", "FuncPieces", "GenConstrName", "GenConstrType", "IISConstr",
    "IISConstrForce", "IISGenConstr", "IISGenConstrForce", "IISLB", "IISLBForce", "IISMinimal",
    "IISQConstr", "IISQConstrForce", "IISSOS", "IISSOSForce", "IISUB", "IISUBForce", "IntVio",
    "IntVioIndex", "IntVioSum", "IsMIP", "IsMultiObj", "IsQCP", "IsQP", "IterCount", "Kappa",
    "KappaExact", "LB", "Lazy", "LicenseExpiration", "MIPGap", "MaxBound", "MaxCoeff",
    "MaxMemUsed", "MaxObjCoeff", "MaxQCCoeff", "MaxQCLCoeff", "MaxQCRHS", "MaxQObjCoeff",
    "MaxRHS", "MaxVio", "MemUsed", "MinBound", "MinCoeff", "MinObjCoeff", "MinQCCoeff",
    "MinQCLCoeff", "MinQCRHS", "MinQObjCoeff", "MinRHS", "ModelName", "ModelSense",
    "NLBarIterCount", "NodeCount", "NumBinVars", "NumConstrs", "NumGenConstrs", "NumIntVars",
    "NumNZs", "NumObj", "NumObjPasses", "NumPWLObjVars", "NumQCNZs", "NumQConstrs", "NumQNZs",
    "NumSOS", "NumScenarios", "NumStart", "NumVars", "Obj", "ObjBound", "ObjBoundC", "ObjCon",
    "ObjN", "ObjNAbsTol", "ObjNCon", "ObjNName", "ObjNPass", "ObjNPriority", "ObjNRelTol",
    "ObjNVal", "ObjNWeight", "ObjPassNIterCount", "ObjPassNMIPGap", "ObjPassNNodeCount",
    "ObjPassNObjBound", "ObjPassNObjVal", "ObjPassNOpenNodeCount", "ObjPassNRuntime",
    "ObjPassNStatus", "ObjPassNWork", "ObjVal", "PDHGIterCount", "PStart", "PWLObjCvx",
    "Partition", "Pi", "PoolIgnore", "PoolNBoundVio", "PoolNBoundVioIndex", "PoolNBoundVioSum",
    "PoolNConstrVio", "PoolNConstrVioIndex", "PoolNConstrVioSum", "PoolNIntVio",
    "PoolNIntVioIndex", "PoolNIntVioSum", "PoolNMaxVio", "PoolNObjVal", "PoolNX", "PoolObjBound",
    "PoolObjVal", "PreFixVal", "QCName", "QCPi", "QCRHS", "QCSense", "QCSlack", "QCTag", "RC",
    "RHS", "Runtime", "SALBLow", "SALBUp", "SAObjLow", "SAObjUp", "SARHSLow", "SARHSUp",
    "SAUBLow", "SAUBUp", "ScenNLB", "ScenNName", "ScenNObj", "ScenNObjBound", "ScenNObjVal",
    "ScenNRHS", "ScenNUB", "ScenNX", "Sense", "Slack", "SolCount", "Start", "Status",
    "TuneResultCount", "UB", "UnbdRay", "VBasis", "VTag", "VType", "VarHintPri", "VarHintVal",
    "VarName", "VarPreStat", "Work", "X", "Xn",
)
